//! What was asked and how it was answered, so that a question sent again is answered in the same way.

use std::collections::{HashMap, VecDeque};

use crate::wire::Act;

/// How many answers are kept.
const REMEMBERED: usize = 4096;

#[derive(Default)]
pub struct Memory {
    acts: HashMap<u32, Option<Act>>,
    order: VecDeque<u32>,
    open: usize,
}

pub enum Known {
    /// Not asked before; it is noted now.
    No,
    /// The bot thinks about it.
    Thinking,
    /// It was answered like this.
    Answered(Act),
}

impl Memory {
    /// Notes a question, unless it is known.
    pub fn begin(&mut self, id: u32) -> Known {
        match self.acts.get(&id) {
            Some(Some(act)) => Known::Answered(act.clone()),
            Some(None) => Known::Thinking,
            None => {
                self.acts.insert(id, None);
                self.open += 1;
                Known::No
            }
        }
    }

    /// Notes an answer.
    pub fn finish(&mut self, act: Act) {
        self.open -= 1;
        self.order.push_back(act.decision_id);
        self.acts.insert(act.decision_id, Some(act));
        if self.order.len() > REMEMBERED {
            let oldest = self.order.pop_front();
            oldest.map(|id| self.acts.remove(&id));
        }
    }

    /// Whether the bot thinks about nothing.
    pub fn idle(&self) -> bool {
        self.open == 0
    }
}
