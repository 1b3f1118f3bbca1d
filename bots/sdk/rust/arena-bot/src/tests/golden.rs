//! What is read from the golden bytes is what the platform says is in them.

use std::path::Path;

use serde_json::{Value, json};

use crate::question::{Action, Answer, recorded};
use crate::{Game, Question, packed};

fn file(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn golden(variant: &str) -> (Game, Vec<Question>, Value) {
    let (start, decides) =
        (file(&format!("{variant}.game_start.bin")), file(&format!("{variant}.decides.bin")));
    let (game, questions) = recorded(&start, &decides).unwrap();
    (game, questions, serde_json::from_slice(&file(&format!("{variant}.json"))).unwrap())
}

fn each(check: impl Fn(Game, Vec<Question>, Value)) {
    for variant in ["classic", "command_room", "endor"] {
        let (game, questions, expected) = golden(variant);
        check(game, questions, expected);
    }
}

fn names<'a>(named: impl Iterator<Item = &'a String>) -> Value {
    named.cloned().collect::<Vec<_>>().into()
}

#[test]
fn reads_a_game() {
    each(|game, _, expected| {
        let expected = &expected["game"];
        assert_eq!(
            json!([game.number, game.seat, game.players]),
            json!([expected["game"], expected["seat"], expected["players"]])
        );
        assert_eq!(json!(game.limits.decision.as_millis() as u64), expected["decision_ms"]);
        assert_eq!(json!(game.limits.game.as_millis() as u64), expected["game_ms"]);
        assert_eq!(json!(game.limits.increment.as_millis() as u64), expected["increment_ms"]);
        assert_eq!(json!(!game.limits.clocked), expected["unclocked"]);
        assert_eq!(names(game.rules.actions.iter().map(|kind| &kind.name)), expected["actions"]);
        assert_eq!(names(game.rules.events.iter().map(|kind| &kind.name)), expected["events"]);
        assert_eq!(json!(game.rules.territories), expected["territories"]);
        assert_eq!(json!(game.rules.colour_seats), expected["colour_seats"]);
        assert_eq!(game.option("pace"), Some(expected["options"]["pace"].clone()));
        assert_eq!(game.option("unheard_of"), None);
        let own =
            expected["colour_seats"].as_array().unwrap().iter().position(|seat| *seat == game.seat).unwrap();
        assert!(game.commands(own as i32) && !game.commands(-1) && !game.commands(99));
    });
}

#[test]
fn reads_borders_as_neighbours() {
    each(|game, _, expected| {
        let borders = expected["game"]["borders"].as_array().unwrap();
        let place =
            |name: &Value| game.rules.territories.iter().position(|known| name == known.as_str()).unwrap();
        for border in borders {
            let (a, b) = (place(&border[0]), place(&border[1]));
            assert!(game.neighbours[a].contains(&b) && game.neighbours[b].contains(&a));
        }
        assert_eq!(game.neighbours.iter().map(Vec::len).sum::<usize>(), 2 * borders.len());
    });
}

#[test]
fn reads_views_by_field_name() {
    each(|game, questions, expected| {
        for (question, expected) in questions.iter().zip(expected["decides"].as_array().unwrap()) {
            assert_eq!(json!(question.id), expected["decision_id"]);
            assert_eq!(json!(question.game_left.as_millis() as u64), expected["game_left_ms"]);
            let view = expected["view"].as_object().unwrap();
            assert_eq!(view.len(), game.rules.fields.len());
            for (field, values) in view {
                assert_eq!(&json!(question.view.values(field)), values, "{field}");
            }
            assert_eq!(question.view.value("lap"), question.view.values("lap")[0]);
            assert_eq!(question.view.get("unheard_of"), None);
        }
    });
}

#[test]
fn reads_ranges_and_events() {
    each(|_, questions, expected| {
        let expected = expected["decides"].as_array().unwrap();
        assert_eq!(questions.len(), expected.len());
        for (question, expected) in questions.iter().zip(expected) {
            let legal: Vec<_> = question
                .legal
                .iter()
                .map(|r| json!({"kind": r.kind, "a": r.a, "b": r.b, "c": r.c, "lo": r.lo, "hi": r.hi}))
                .collect();
            assert_eq!(Value::from(legal), expected["legal"]);
            let events: Vec<_> = question.events.iter().map(|e| json!({"kind": e.kind, "seat": e.seat, "a": e.a, "b": e.b, "c": e.c, "n": e.n, "dice": e.dice})).collect();
            assert_eq!(Value::from(events), expected["events"]);
        }
    });
}

#[test]
fn equal_seeds_make_equal_luck() {
    let draw = |mut game: Game| -> Vec<u32> { (0..8).map(|_| game.rng.u32(..)).collect() };
    let first = draw(golden("classic").0);
    assert_eq!(first, draw(golden("classic").0));
    let mut other =
        crate::wire::GameStart { bot_seed: vec![9; 16], ruleset: "{}".into(), ..Default::default() };
    other.rules = Some(Default::default());
    assert_ne!(first, draw(Game::new(other, Box::new(|_| ())).unwrap()));
}

#[test]
fn cut_bytes_are_an_error_that_says_what() {
    let words = |words: &[i32]| words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
    assert!(packed::legal(&words(&[0, 1])).unwrap_err().contains("legal"));
    assert!(packed::legal(&[]).unwrap_err().contains("legal"));
    for cut in [&[0, 0, 0][..], &[0, 0, 0, 2, 6], &[0, 0, 0, -1]] {
        assert!(packed::events(&words(cut)).unwrap_err().contains("cut short"), "{cut:?}");
    }
    assert!(packed::events(&[1, 2, 3]).unwrap_err().contains("whole words"));
    let (game, _, _) = golden("classic");
    let problem = game.layout.view(&words(&[1, 2, 3])).err().unwrap();
    assert!(problem.contains("3 words"), "{problem}");
}

#[test]
fn tells_legal_answers_from_others() {
    let (_, questions, _) = golden("classic");
    for question in questions {
        for range in &question.legal {
            assert!(question.allows(&range.first()) && question.allows(&range.last()));
            assert!(question.allows(&Answer::Actions(vec![range.action(range.hi)])));
            assert!(!question.allows(&range.answer(range.hi + 1)));
        }
        assert!(!question.allows(&Answer::Range { range: question.legal.len(), amount: 0 }));
        assert!(!question.allows(&Answer::Actions(vec![])));
        assert!(!question.allows(&Answer::Actions(vec![Action { kind: 250, a: 0, b: 0, c: 0, n: 0 }])));
    }
}
