//! All games of one process; a session outlives a broken stream.

use std::collections::HashSet;
use std::panic::resume_unwind;
use std::thread::available_parallelism;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{Instant, sleep_until, timeout};
use tokio_stream::wrappers::UnboundedReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::connect::{connect, endpoint, look_for_trouble_with_tls, reach};
use crate::memory::{Known, Memory};
use crate::threads::{self, Said, Task, Threads};
use crate::wire::play_request::Content as Saying;
use crate::wire::play_response::Content as Heard;
use crate::wire::play_service_client::PlayServiceClient;
use crate::wire::{Act, ActBatch, Decide, Join, Log, PlayRequest, PlayResponse};
use crate::{Bot, Error, Game, Info};

/// How long an answer waits for others that are being thought about, to leave in one message.
const GATHER: Duration = Duration::from_millis(1);
/// How long games may take to come to an end when the stream has ended.
const END: Duration = Duration::from_secs(1);
/// Between two attempts to join, while ARENA_RETRY lasts: at first, and at most.
const SHORT_PAUSE: Duration = Duration::from_millis(200);
const LONG_PAUSE: Duration = Duration::from_secs(2);
/// How much that the threads say is taken in at once.
const AT_ONCE: usize = 256;

pub struct Session {
    info: Info,
    threads: Threads,
    said: UnboundedReceiver<Said>,
    games: HashSet<u32>,
    memory: Memory,
    acts: Vec<Act>,
    flush_at: Instant,
    number: threads::Connection,
    connection: String,
    resume: Duration,
    received: u32,
    /// Whether the stream was welcomed, and whether questions came over it.
    joined: bool,
    asked: bool,
}

/// Why a stream ended, when it did not end well.
enum Ended {
    Status(Status),
    Unreadable(Error),
}

impl From<Status> for Ended {
    fn from(status: Status) -> Self {
        Self::Status(status)
    }
}

impl Session {
    pub fn new<B: Bot + 'static>(info: Info, start: impl Fn(Game) -> B + Send + Sync + 'static) -> Self {
        let count = match info.threads {
            0 => available_parallelism().map_or(1, usize::from),
            count => count,
        };
        let (say, said) = unbounded_channel();
        Self {
            info,
            threads: Threads::new(count, start, say),
            said,
            games: HashSet::new(),
            memory: Memory::default(),
            acts: Vec::new(),
            flush_at: Instant::now(),
            number: 0,
            connection: String::new(),
            resume: Duration::ZERO,
            received: 0,
            joined: false,
            asked: false,
        }
    }

    /// Plays until the server has no more games, or has been away for too long.
    pub async fn run(mut self, patience: Duration) -> Result<(), Error> {
        let endpoint = endpoint(&self.info)?;
        let patience = patience.max(self.info.retry);
        let mut channel = connect(&self.info, &endpoint, patience).await?;
        let mut welcomed = false;
        let (mut retry_until, mut pause) = (Instant::now() + self.info.retry, SHORT_PAUSE);
        loop {
            let resume = self.stream(channel).await;
            welcomed |= self.joined;
            if !welcomed && self.info.ca.is_empty() {
                look_for_trouble_with_tls(&self.info).await?; // a plain connection comes about with any server
            }
            let resume = resume?;
            if self.joined {
                (retry_until, pause) = (Instant::now() + self.info.retry, SHORT_PAUSE);
            } else {
                sleep_until(retry_until.min(Instant::now() + pause)).await;
                pause = LONG_PAUSE.min(2 * pause);
            }
            let wait = resume.max(retry_until.saturating_duration_since(Instant::now()));
            if wait.is_zero() {
                break;
            }
            match reach(&endpoint, wait).await {
                Ok(again) => channel = again,
                Err(_) => break, // the server went away
            }
        }
        self.leave().await;
        Ok(())
    }

    /// Plays one stream to its end; for how long it may be resumed. The error says why the bot was refused.
    async fn stream(&mut self, channel: Channel) -> Result<Duration, Error> {
        let known = !self.connection.is_empty();
        (self.joined, self.asked) = (false, false);
        let status = match self.follow(channel).await {
            Ok(()) => Status::ok(""),
            Err(Ended::Unreadable(error)) => return Err(error),
            Err(Ended::Status(status)) => status,
        };
        let retry = !self.info.retry.is_zero();
        match status.code() {
            Code::Ok => self.forget(),
            // Broken for no fault of the bot's.
            Code::Unavailable | Code::Cancelled | Code::Unknown | Code::Internal => {
                if self.asked {
                    return Ok(self.resume);
                }
                if !(known || self.joined || retry) {
                    return Err(Error(format!("the server ended the stream: {}", status.message())));
                }
            }
            // The games have ended meanwhile.
            Code::Unauthenticated | Code::NotFound if known => self.forget(),
            Code::Unauthenticated | Code::NotFound => {
                let message = status.message();
                return Err(Error(format!("the server refuses the token in ARENA_TOKEN: {message}")));
            }
            // The server may not know yet that an earlier connection is dead.
            Code::AlreadyExists if retry => (),
            _ => return Err(Error(format!("the server ended the stream: {}", status.message()))),
        }
        Ok(Duration::ZERO)
    }

    /// Leaves the games of a connection that is over; what they still think has nowhere to go.
    fn forget(&mut self) {
        self.threads.forget();
        self.games.clear();
        self.memory = Memory::default();
        self.acts.clear();
        self.number += 1;
        self.connection.clear();
        self.received = 0;
    }

    /// Joins and handles what the server and the threads say until the stream ends.
    async fn follow(&mut self, channel: Channel) -> Result<(), Ended> {
        let (out, outgoing) = unbounded_channel();
        self.acts.clear();
        say(&out, Saying::Join(self.join()));
        let mut client = PlayServiceClient::new(channel).max_decoding_message_size(usize::MAX);
        let mut stream = client.play(UnboundedReceiverStream::new(outgoing)).await?.into_inner();
        let mut said = Vec::new();
        loop {
            tokio::select! {
                heard = stream.message() => match heard? {
                    Some(response) => self.hear(response, &out),
                    None => return Ok(()),
                },
                _ = self.said.recv_many(&mut said, AT_ONCE) => {
                    for said in said.drain(..) {
                        self.take(said, &out)?;
                    }
                    if self.memory.idle() {
                        self.flush(&out);
                    }
                },
                () = sleep_until(self.flush_at), if !self.acts.is_empty() => self.flush(&out),
            }
        }
    }

    fn join(&self) -> Join {
        Join {
            token: self.info.token.clone(),
            name: self.info.name.clone(),
            version: self.info.version.clone(),
            max_questions: self.info.max_questions,
            connection_id: self.connection.clone(),
            acknowledged: self.received,
            skip_events: self.info.skip_events,
            ..Join::default()
        }
    }

    fn hear(&mut self, response: PlayResponse, out: &UnboundedSender<PlayRequest>) {
        match response.content {
            Some(Heard::Welcome(welcome)) => {
                self.joined = true;
                if !welcome.resumed {
                    self.forget();
                }
                self.connection = welcome.connection_id;
                self.resume = Duration::from_millis(welcome.resume_ms.into());
            }
            Some(Heard::GameStart(start)) => {
                if self.games.insert(start.game) {
                    self.threads.give(start.game, Task::Start(start.into()));
                } // else it was sent again after a resume
            }
            Some(Heard::Decides(batch)) => {
                self.asked = true;
                for asked in batch.decides {
                    self.ask(asked, out);
                }
            }
            Some(Heard::GameEnd(end)) => {
                self.games.remove(&end.game);
                self.threads.give(end.game, Task::End(end));
            }
            None => (),
        }
    }

    /// Hands a question to its game; one that is asked again gets the answer it got before.
    fn ask(&mut self, asked: Decide, out: &UnboundedSender<PlayRequest>) {
        self.received = self.received.max(asked.decision_id);
        if !self.games.contains(&asked.game) {
            return; // it has ended: nobody waits for the answer
        }
        match self.memory.begin(asked.decision_id) {
            Known::No => self.threads.give(asked.game, Task::Decide(self.number, asked)),
            Known::Thinking => (),
            Known::Answered(act) => say(out, Saying::Acts(ActBatch { acts: vec![act] })),
        }
    }

    fn take(&mut self, said: Said, out: &UnboundedSender<PlayRequest>) -> Result<(), Ended> {
        match said {
            Said::Act(connection, _) if connection != self.number => (),
            Said::Act(_, act) => {
                if self.acts.is_empty() {
                    self.flush_at = Instant::now() + GATHER;
                }
                self.memory.finish(act.clone());
                self.acts.push(act);
            }
            Said::Log(text) => say(out, Saying::Log(Log { text })),
            Said::Unreadable(error) => return Err(Ended::Unreadable(error)),
            Said::Panic(panic) => resume_unwind(panic),
        }
        Ok(())
    }

    fn flush(&mut self, out: &UnboundedSender<PlayRequest>) {
        if !self.acts.is_empty() {
            say(out, Saying::Acts(ActBatch { acts: std::mem::take(&mut self.acts) }));
        }
    }

    /// Lets the threads come to an end, but no longer than a moment.
    async fn leave(mut self) {
        drop(self.threads);
        let _ = timeout(END, async { while self.said.recv().await.is_some() {} }).await;
    }
}

/// What cannot be sent is lost with its stream; an answer is then asked for again.
fn say(out: &UnboundedSender<PlayRequest>, content: Saying) {
    let _ = out.send(PlayRequest { content: Some(content) });
}
