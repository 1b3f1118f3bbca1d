//! __NAME__: attacks when it has more troops, else plays at random.

use std::process::ExitCode;

use arena_bot::{Answer, Game, Question, Range};

fn main() -> ExitCode {
    arena_bot::run("__NAME__", "1", start)
}

/// Called once for every game and seat; what it returns answers the questions of that game.
fn start(mut game: Game) -> impl FnMut(&Question) -> Answer {
    move |q| {
        if let Some(attack) = q.legal.iter().find(|range| has_more(&game, q, range)) {
            return attack.last();
        }
        let range = game.rng.usize(..q.legal.len());
        q.legal[range].sample(&mut game.rng)
    }
}

/// Whether a range is an attack with more troops than it meets.
fn has_more(game: &Game, q: &Question, range: &Range) -> bool {
    let troops = |territory: u8| q.view.values("troops")[usize::from(territory)];
    game.kind_name(range.kind) == "attack" && troops(range.a) > troops(range.b) + 1
}

#[cfg(test)]
mod tests;
