//! The threads that think: each game stays on one of them.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::mpsc::UnboundedSender;

use crate::packed::Layout;
use crate::{Bot, Error, Game, Question, wire};

/// What a game is told.
pub enum Task {
    Start(Box<wire::GameStart>),
    Decide(Connection, wire::Decide),
    End(wire::GameEnd),
    /// Its connection is over.
    Forget,
}

/// Which connection a question belongs to: the server counts games and questions by connection.
pub type Connection = u32;

/// What a thread says.
pub enum Said {
    Act(Connection, wire::Act),
    Log(String),
    /// The platform broke its word: nothing that this bot could play on with.
    Unreadable(Error),
    /// The bot panicked.
    Panic(Box<dyn Any + Send>),
}

pub struct Threads(Vec<Sender<Task>>);

impl Threads {
    pub fn new<B: Bot + 'static>(
        count: usize,
        start: impl Fn(Game) -> B + Send + Sync + 'static,
        said: UnboundedSender<Said>,
    ) -> Self {
        let start = Arc::new(start);
        let tasks = (0..count).map(|_| {
            let (give, take) = channel();
            let (start, said) = (start.clone(), said.clone());
            thread::spawn(move || think(&take, &*start, &said));
            give
        });
        Self(tasks.collect())
    }

    /// Gives a game's task to its thread.
    pub fn give(&self, game: u32, task: Task) {
        let _ = self.0[game as usize % self.0.len()].send(task); // a thread that ended has said why
    }
}

impl Threads {
    /// Has every thread forget its games.
    pub fn forget(&self) {
        self.0.iter().for_each(|thread| drop(thread.send(Task::Forget)));
    }
}

fn think<B: Bot>(tasks: &Receiver<Task>, start: &impl Fn(Game) -> B, said: &UnboundedSender<Said>) {
    let mut games = HashMap::new();
    for task in tasks {
        match catch_unwind(AssertUnwindSafe(|| play(&mut games, task, start, said))) {
            Ok(Ok(())) => continue,
            Ok(Err(error)) => drop(said.send(Said::Unreadable(error))),
            Err(panic) => drop(said.send(Said::Panic(panic))),
        }
        return;
    }
}

fn play<B: Bot>(
    games: &mut HashMap<u32, (Arc<Layout>, B)>,
    task: Task,
    start: &impl Fn(Game) -> B,
    said: &UnboundedSender<Said>,
) -> Result<(), Error> {
    match task {
        Task::Start(opened) => {
            let number = opened.game;
            let log = said.clone();
            let game = Game::new(*opened, Box::new(move |text| drop(log.send(Said::Log(text)))))?;
            games.insert(number, (game.layout.clone(), start(game)));
        }
        Task::Forget => games.clear(),
        Task::Decide(connection, asked) => {
            if let Some((layout, bot)) = games.get_mut(&asked.game) {
                let answer = bot.decide(&Question::new(layout, &asked)?);
                let _ = said.send(Said::Act(connection, answer.act(asked.decision_id))); // nobody listens at the end
            }
        }
        Task::End(closed) => {
            if let Some((_, mut bot)) = games.remove(&closed.game) {
                bot.end(&closed);
            }
        }
    }
    Ok(())
}
