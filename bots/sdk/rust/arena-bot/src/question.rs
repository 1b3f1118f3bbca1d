//! Questions and their answers.

use std::sync::Arc;
use std::time::Duration;

use prost::Message;

use crate::packed::{self, Layout, View};
use crate::{Error, Game, wire};

/// One decision of one seat.
pub struct Question {
    /// Number of the question on this connection.
    pub id: u32,
    /// What the seat may see.
    pub view: View,
    /// What it may do; never empty.
    pub legal: Vec<Range>,
    /// What it saw happen since its last question.
    pub events: Vec<Event>,
    /// Time left of the game's limit.
    pub game_left: Duration,
}

/// One kind of action with its operands, and an amount from `lo` to `hi`, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// Its place in the question's legal list.
    pub index: usize,
    /// Index into the rules' actions.
    pub kind: u8,
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub lo: i32,
    pub hi: i32,
}

impl Range {
    /// This range with an amount.
    pub fn answer(&self, amount: i32) -> Answer {
        Answer::Range { range: self.index, amount }
    }

    /// Its lowest amount.
    pub fn first(&self) -> Answer {
        self.answer(self.lo)
    }

    /// Its highest amount.
    pub fn last(&self) -> Answer {
        self.answer(self.hi)
    }

    /// Any amount, each equally likely.
    pub fn sample(&self, rng: &mut fastrand::Rng) -> Answer {
        self.answer(rng.i32(self.lo..=self.hi))
    }

    /// This range with an amount as an action, as a plan takes it.
    pub fn action(&self, n: i32) -> Action {
        Action { kind: self.kind, a: self.a, b: self.b, c: self.c, n }
    }
}

/// A kind of action with its operands and amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    pub kind: u8,
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub n: i32,
}

/// The range that is sent for an answer that is none: no question has it.
const NO_RANGE: u32 = u32::MAX;

/// What a bot does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A legal range, by its index, with an amount.
    Range { range: usize, amount: i32 },
    /// An action. Further ones are a plan: each answers the seat's next question in this game without its being
    /// asked, while it is legal; the rest is dropped at the first that is not, at dice, and at others' doings.
    Actions(Vec<Action>),
}

impl Answer {
    pub(crate) fn act(&self, decision_id: u32) -> wire::Act {
        match self {
            Self::Range { range, amount } => {
                wire::Act { decision_id, range: *range as u32, amount: *amount, ..Default::default() }
            }
            Self::Actions(actions) if actions.is_empty() => {
                eprintln!("an answer without an action; the referee judges it");
                wire::Act { decision_id, range: NO_RANGE, ..Default::default() }
            }
            Self::Actions(actions) => {
                let actions = actions.iter().map(Action::message).collect();
                wire::Act { decision_id, actions, ..Default::default() }
            }
        }
    }
}

impl Action {
    fn message(&self) -> wire::Action {
        let [a, b, c] = [self.a, self.b, self.c].map(u32::from);
        wire::Action { kind: self.kind.into(), a, b, c, n: self.n }
    }
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Index into the rules' events.
    pub kind: u8,
    /// The seat it is about; -1 for none.
    pub seat: i32,
    /// Operands; 255 stands for nobody, or nothing that may be seen.
    pub a: u8,
    pub b: u8,
    pub c: u8,
    pub n: i32,
    pub dice: Vec<i32>,
}

impl Question {
    pub(crate) fn new(layout: &Arc<Layout>, asked: &wire::Decide) -> Result<Self, Error> {
        let decision = |why: String| Error(format!("decision {}: {why}", asked.decision_id));
        Ok(Self {
            id: asked.decision_id,
            view: layout.view(&asked.view).map_err(decision)?,
            legal: packed::legal(&asked.legal).map_err(decision)?,
            events: packed::events(&asked.events).map_err(decision)?,
            game_left: Duration::from_millis(asked.game_left_ms.into()),
        })
    }

    /// Whether an answer to this question is legal, for tests. A plan's further actions are not looked at: they answer
    /// questions yet to come.
    pub fn allows(&self, answer: &Answer) -> bool {
        match answer {
            Answer::Range { range, amount } => {
                self.legal.get(*range).is_some_and(|range| (range.lo..=range.hi).contains(amount))
            }
            Answer::Actions(actions) => actions.first().is_some_and(|first| {
                let holds = |range: &Range| {
                    range.action(first.n) == *first && (range.lo..=range.hi).contains(&first.n)
                };
                self.legal.iter().any(holds)
            }),
        }
    }
}

/// Reads a game and questions of it as they travelled, a GameStart and a DecideBatch: for tests of a bot.
pub fn recorded(game_start: &[u8], decide_batch: &[u8]) -> Result<(Game, Vec<Question>), Error> {
    let unreadable = |error| Error(format!("no recorded game: {error}"));
    let start = wire::GameStart::decode(game_start).map_err(unreadable)?;
    let batch = wire::DecideBatch::decode(decide_batch).map_err(unreadable)?;
    let game = Game::new(start, Box::new(|_| ()))?;
    let questions =
        batch.decides.iter().map(|asked| Question::new(&game.layout, asked)).collect::<Result<_, _>>()?;
    Ok((game, questions))
}
