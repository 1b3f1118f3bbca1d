//! Attacks where it is stronger by most, deploys there, and moves what stands behind to its front.

use std::process::ExitCode;

use arena_bot::{Answer, Bot, Game, Question, Range};

/// By how many troops it wants to be stronger before it attacks.
const CLEARLY: i32 = 2;

fn main() -> ExitCode {
    arena_bot::run("sdk_rust_greedy", "1", |game: Game| Greedy { game })
}

struct Greedy {
    game: Game,
}

impl Bot for Greedy {
    /// Takes what is worth most. What it does not know, it declines, or else takes the first that is no pass.
    fn decide(&mut self, q: &Question) -> Answer {
        if let (Some(owner), Some(troops)) = (q.view.get("owner"), q.view.get("troops")) {
            let board = Board::new(&self.game, owner, troops);
            let worth = |range| board.worth(range).map(|worth| (worth, range));
            let best = q.legal.iter().rev().filter_map(worth).max_by_key(|(worth, _)| *worth);
            if let Some((_, range)) = best {
                return board.amount(range);
            }
        }
        let named = |range: &&Range, name| self.game.kind_name(range.kind) == name;
        let end = q.legal.iter().find(|range| named(range, "end"));
        let other = q.legal.iter().find(|range| !named(range, "pass"));
        end.or(other).unwrap_or(&q.legal[0]).last()
    }
}

/// The board as it stands, by territory.
struct Board<'a> {
    game: &'a Game,
    owner: &'a [i32],
    troops: &'a [i32],
    to_front: Vec<usize>,
}

impl<'a> Board<'a> {
    fn new(game: &'a Game, owner: &'a [i32], troops: &'a [i32]) -> Self {
        let mut board = Self { game, owner, troops, to_front: vec![owner.len(); owner.len()] };
        board.measure();
        board
    }

    /// What a range is worth beside others of the same question; None when it is not wanted.
    fn worth(&self, range: &Range) -> Option<i32> {
        let [a, b, c] = [range.a, range.b, range.c].map(usize::from);
        let near = |territory: usize| self.game.neighbours[territory].len() as i32;
        Some(match self.game.kind_name(range.kind) {
            "trade" | "objective" | "defend" | "occupy" => 1,
            "stars" => (a + 2 * b) as i32,
            "claim" => near(a) - self.enemies(a).count() as i32,
            "place" if !self.game.commands(c as i32) => -self.troops[a], // of a colour without a seat
            "place" | "deploy" | "bonus" => self.lead(a),
            "capital" => -near(a),
            "headquarters" => self.troops[a] - self.enemies(a).count() as i32,
            "airfield" => self.enemies(a).count() as i32,
            "attack" => Some(self.troops[a] - self.troops[b]).filter(|lead| *lead >= CLEARLY)?,
            "fortify" if self.to_front[b] < self.to_front[a] => self.troops[a],
            _ => return None,
        })
    }

    /// All there is, except that a captured territory gets no more than it needs when the old one has more enemies.
    fn amount(&self, range: &Range) -> Answer {
        let few = self.game.kind_name(range.kind) == "occupy"
            && self.enemies(range.a.into()).count() > self.enemies(range.b.into()).count();
        if few { range.first() } else { range.last() }
    }

    fn own(&self, territory: usize) -> bool {
        self.game.commands(self.owner[territory])
    }

    fn enemies(&self, territory: usize) -> impl Iterator<Item = usize> {
        self.game.neighbours[territory].iter().copied().filter(|near| !self.own(*near))
    }

    /// By how much a territory is stronger than its weakest enemy; far below all others where it has none.
    fn lead(&self, territory: usize) -> i32 {
        let weakest = self.enemies(territory).map(|enemy| self.troops[enemy]).min();
        weakest.map_or(i32::MIN, |enemy| self.troops[territory] - enemy)
    }

    /// Steps from every own territory through own ones to the next front.
    fn measure(&mut self) {
        let mut reached: Vec<usize> =
            (0..self.owner.len()).filter(|&t| self.own(t) && self.enemies(t).next().is_some()).collect();
        reached.iter().for_each(|&front| self.to_front[front] = 0);
        let mut next = 0;
        while let Some(&territory) = reached.get(next) {
            next += 1;
            for &near in &self.game.neighbours[territory] {
                if self.own(near) && self.to_front[territory] + 1 < self.to_front[near] {
                    self.to_front[near] = self.to_front[territory] + 1;
                    reached.push(near);
                }
            }
        }
    }
}
