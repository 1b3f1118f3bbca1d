//! Plays a bot in Conquest Arena: a function of a view and its legal ranges is all that a bot needs.
//!
//! ```no_run
//! use arena_bot::{Game, Question};
//!
//! fn main() -> std::process::ExitCode {
//!     arena_bot::run("mine", "1", |_game: Game| |q: &Question| q.legal[0].last())
//! }
//! ```
//!
//! One stream carries all games of the process. A few threads think; each game stays on one of them, so a bot
//! needs no locks, and several games may be thought about at once.

mod connect;
mod game;
mod memory;
mod packed;
mod question;
mod session;
mod threads;
#[rustfmt::skip]
#[allow(clippy::all)]
pub mod wire;

#[cfg(test)]
mod tests;

use std::fmt;
use std::process::ExitCode;
use std::time::Duration;

pub use game::{Game, Limits};
pub use packed::View;
pub use question::{Action, Answer, Event, Question, Range, recorded};

/// Answers the questions of one game; any `FnMut(&Question) -> Answer` does.
pub trait Bot {
    /// Answers one question. A panic ends the process, which the arena counts as a crash.
    fn decide(&mut self, question: &Question) -> Answer;

    /// Hears how the game ended.
    fn end(&mut self, _end: &wire::GameEnd) {}
}

impl<F: FnMut(&Question) -> Answer> Bot for F {
    fn decide(&mut self, question: &Question) -> Answer {
        self(question)
    }
}

/// Who the bot is and where the server is.
#[derive(Clone, Debug, Default)]
pub struct Info {
    /// A label for people.
    pub name: String,
    /// The bot's own version.
    pub version: String,
    /// `host:port` or `unix:/path`.
    pub address: String,
    /// The secret that says who the bot is.
    pub token: String,
    /// Path of a PEM certificate to trust: over TCP, the stream is encrypted; empty for a plain one.
    pub ca: String,
    /// For how long to dial again after the bot was last connected.
    pub retry: Duration,
    /// How many threads think, each about one game at a time; 0 for the number of processors.
    pub threads: usize,
    /// How many questions may be open at once over all games; 0 leaves it to the server.
    pub max_questions: u32,
    /// Leaves events out of the questions: faster, but only a plan's first action is played.
    pub skip_events: bool,
}

impl Info {
    /// Name and version, and the rest from ARENA_ADDRESS, ARENA_TOKEN, ARENA_CA and ARENA_RETRY (in seconds).
    pub fn from_env(name: &str, version: &str) -> Result<Self, Error> {
        let variable = |name| std::env::var(name).unwrap_or_default();
        Ok(Self {
            name: name.into(),
            version: version.into(),
            address: variable("ARENA_ADDRESS"),
            token: variable("ARENA_TOKEN"),
            ca: variable("ARENA_CA"),
            retry: seconds(&variable("ARENA_RETRY"))?,
            ..Self::default()
        })
    }
}

fn seconds(text: &str) -> Result<Duration, Error> {
    let seconds = if text.is_empty() { Ok(0.0) } else { text.parse().map_err(|_| ()) };
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).map_err(|_| ()));
    duration.map_err(|()| Error(format!("ARENA_RETRY must be a number of seconds, not {text:?}")))
}

/// Why a bot could not play, in one sentence.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// Plays until the server has no more games; the exit code is 1, after one line that says what to set, when there is
/// no server or when it refuses the bot.
///
/// `start` is called once for every game and seat; what it returns answers that game's questions.
pub fn run<B: Bot + 'static>(
    name: &str,
    version: &str,
    start: impl Fn(Game) -> B + Send + Sync + 'static,
) -> ExitCode {
    match Info::from_env(name, version).and_then(|info| serve(info, start)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("bot: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Plays until the server has no more games or goes away, which is no error.
///
/// The error says why the bot could not play: no server at the address, or one that refuses it.
pub fn serve<B: Bot + 'static>(
    info: Info,
    start: impl Fn(Game) -> B + Send + Sync + 'static,
) -> Result<(), Error> {
    play(session::Session::new(info, start))
}

/// Not generic, so that it is compiled once, in this package, and bots build quickly.
fn play(session: session::Session) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error(format!("no runtime for the stream: {error}")))?;
    runtime.block_on(session.run(connect::WITHIN))
}
