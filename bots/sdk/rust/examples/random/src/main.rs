//! Plays anything legal.

use std::process::ExitCode;

use arena_bot::{Game, Question};

fn main() -> ExitCode {
    arena_bot::run("sdk_rust_random", "1", |mut game: Game| {
        move |q: &Question| {
            let range = game.rng.usize(..q.legal.len());
            q.legal[range].sample(&mut game.rng)
        }
    })
}
