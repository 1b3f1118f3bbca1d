use arena_bot::{Answer, recorded};

use super::{has_more, start};

const START: &[u8] = include_bytes!("../testdata/classic.game_start.bin");
const DECIDES: &[u8] = include_bytes!("../testdata/classic.decides.bin");

#[test]
fn it_attacks_where_it_has_more_troops_and_every_answer_is_legal() {
    let (game, questions) = recorded(START, DECIDES).unwrap();
    let mut decide = start(recorded(START, DECIDES).unwrap().0);
    let mut chances = 0;
    for question in &questions {
        let answer = decide(question);
        assert!(question.allows(&answer));
        if !question.legal.iter().any(|range| has_more(&game, question, range)) {
            continue;
        }
        chances += 1;
        let Answer::Range { range, .. } = answer else { panic!("no range: {answer:?}") };
        assert!(has_more(&game, question, &question.legal[range]));
    }
    assert!(chances > 0, "no recorded question offers such an attack");
}
