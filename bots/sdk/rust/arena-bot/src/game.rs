//! One game as one seat plays it.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::Error;
use crate::packed::Layout;
use crate::wire;

/// The clocks of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For one decision.
    pub decision: Duration,
    /// For all decisions of the seat in the game: its bank.
    pub game: Duration,
    /// What each answer adds to the bank.
    pub increment: Duration,
    /// False where no clock runs, for debugging: no decision is late then.
    pub clocked: bool,
}

impl Limits {
    fn new(limits: &wire::Limits) -> Self {
        Self {
            decision: Duration::from_millis(limits.decision_ms.into()),
            game: Duration::from_millis(limits.game_ms.into()),
            increment: Duration::from_millis(limits.increment_ms.into()),
            clocked: !limits.unclocked,
        }
    }
}

/// One game as one seat plays it; it says all that a bot needs to know.
pub struct Game {
    /// Number of this seat's game on this connection.
    pub number: u32,
    /// The bot's seat.
    pub seat: usize,
    /// Labels of the players by seat; empty where they stay unknown.
    pub players: Vec<String>,
    /// The clocks.
    pub limits: Limits,
    /// Vocabulary.
    pub rules: wire::Rules,
    /// The whole resolved ruleset.
    pub ruleset: Value,
    /// Equal hashes are equal games.
    pub ruleset_hash: String,
    /// Neighbours of each territory, from the ruleset's board; empty where the game has no borders.
    pub neighbours: Vec<Vec<usize>>,
    /// Seeded for this bot in this game: use no other randomness and the game can be repeated exactly.
    pub rng: fastrand::Rng,
    options: HashMap<String, String>,
    pub(crate) layout: Arc<Layout>,
    log: Box<dyn Fn(String)>,
}

impl Game {
    pub(crate) fn new(start: wire::GameStart, log: Box<dyn Fn(String)>) -> Result<Self, Error> {
        let ruleset: Value = serde_json::from_str(&start.ruleset)
            .map_err(|error| Error(format!("game {}: the ruleset cannot be read: {error}", start.game)))?;
        let rules = start.rules.unwrap_or_default();
        Ok(Self {
            number: start.game,
            seat: start.seat as usize,
            players: start.players,
            limits: Limits::new(&start.limits.unwrap_or_default()),
            neighbours: neighbours(&rules.territories, &ruleset["board"]["borders"]),
            layout: Arc::new(Layout::new(&rules)),
            rules,
            ruleset,
            ruleset_hash: start.ruleset_hash,
            rng: fastrand::Rng::with_seed(number_of(&start.bot_seed)),
            options: start.options,
            log,
        })
    }

    /// The name of an action kind.
    pub fn kind_name(&self, kind: u8) -> &str {
        &self.rules.actions[usize::from(kind)].name
    }

    /// Whether a colour, as a view's `owner` has it, is this seat's.
    pub fn commands(&self, colour: i32) -> bool {
        let seat = usize::try_from(colour).ok().and_then(|colour| self.rules.colour_seats.get(colour));
        seat.is_some_and(|&seat| usize::try_from(seat) == Ok(self.seat))
    }

    /// A setting of the bot's entry, if the entry has it.
    pub fn option(&self, name: &str) -> Option<Value> {
        self.options.get(name).and_then(|text| serde_json::from_str(text).ok())
    }

    /// Writes a line to the author's log on the server.
    pub fn log(&self, text: impl Into<String>) {
        (self.log)(text.into());
    }
}

/// The bot's seed, which is a hash, as the generator takes it: its first eight bytes.
fn number_of(seed: &[u8]) -> u64 {
    let mut bytes = [0; 8];
    let length = seed.len().min(8);
    bytes[..length].copy_from_slice(&seed[..length]);
    u64::from_le_bytes(bytes)
}

fn neighbours(territories: &[String], borders: &Value) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); territories.len()];
    let place = |name: &Value| territories.iter().position(|territory| name == territory.as_str());
    for border in borders.as_array().into_iter().flatten() {
        if let (Some(a), Some(b)) = (place(&border[0]), place(&border[1])) {
            near[a].push(b);
            near[b].push(a);
        }
    }
    near
}
