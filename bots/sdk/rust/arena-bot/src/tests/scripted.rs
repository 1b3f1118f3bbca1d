//! A real server whose part a test plays, message by message.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use prost::Message;
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_stream::wrappers::{UnboundedReceiverStream, UnixListenerStream};
use tonic::transport::Server;
use tonic::{Request, Response, Status, Streaming};

use crate::wire::play_request::Content as Saying;
use crate::wire::play_response::Content as Heard;
use crate::wire::play_service_server::{PlayService, PlayServiceServer};
use crate::wire::*;

const PATIENCE: Duration = Duration::from_secs(120);

/// One stream of a bot's, as the server sees it.
pub struct Stream {
    pub join: Join,
    requests: Streaming<PlayRequest>,
    responses: UnboundedSender<Result<PlayResponse, Status>>,
    acts: Vec<Act>,
}

/// A server on a Unix socket; each stream that a bot opens is handed to the test.
pub struct Scripted {
    streams: UnboundedReceiver<Stream>,
    serving: JoinHandle<Result<(), tonic::transport::Error>>,
    pub path: PathBuf,
}

struct Service(UnboundedSender<Stream>);

#[tonic::async_trait]
impl PlayService for Service {
    type PlayStream = UnboundedReceiverStream<Result<PlayResponse, Status>>;

    async fn play(
        &self,
        request: Request<Streaming<PlayRequest>>,
    ) -> Result<Response<Self::PlayStream>, Status> {
        let mut requests = request.into_inner();
        let Some(Saying::Join(join)) = requests.message().await?.and_then(|first| first.content) else {
            return Err(Status::invalid_argument("no join"));
        };
        if join.token == "wrong" {
            return Err(Status::unauthenticated("unknown token"));
        }
        let (responses, outgoing) = unbounded_channel();
        let stream = Stream { join, requests, responses, acts: Vec::new() };
        self.0.send(stream).map_err(|_| Status::unavailable("the test is over"))?;
        Ok(Response::new(UnboundedReceiverStream::new(outgoing)))
    }
}

impl Scripted {
    /// Listens on a socket of its own; to be called in a runtime.
    pub fn listen(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("arena-bot-{}-{name}", std::process::id()));
        let _ = fs::remove_file(&path);
        let listener = UnixListener::bind(&path).unwrap();
        let (take, streams) = unbounded_channel();
        let server = Server::builder().add_service(PlayServiceServer::new(Service(take)));
        let serving = tokio::spawn(server.serve_with_incoming(UnixListenerStream::new(listener)));
        Self { streams, serving, path }
    }

    /// Takes no more streams; those that are open stay.
    pub fn stop(&self) {
        self.serving.abort();
        let _ = fs::remove_file(&self.path);
    }

    /// The next stream that a bot opens, already welcomed.
    pub async fn stream(&mut self) -> Stream {
        let stream = timeout(PATIENCE, self.streams.recv()).await.expect("no stream in time").unwrap();
        stream.say(Heard::Welcome(Welcome {
            connection_id: "connection".into(),
            resumed: !stream.join.connection_id.is_empty(),
            resume_ms: 5000,
            ..Default::default()
        }));
        stream
    }
}

impl Drop for Scripted {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

impl Stream {
    pub fn say(&self, content: Heard) {
        let _ = self.responses.send(Ok(PlayResponse { content: Some(content) }));
    }

    /// Begins a game of the golden bytes' kind.
    pub fn start(&self, game: u32) {
        self.say(Heard::GameStart(GameStart { game, ..golden::<GameStart>("classic.game_start.bin") }));
    }

    /// Asks the golden questions of these numbers, each of a game.
    pub fn ask(&self, questions: &[(u32, u32)]) {
        let golden: DecideBatch = golden("classic.decides.bin");
        let decide = |&(decision_id, game): &(u32, u32)| {
            let question = golden.decides[decision_id as usize % golden.decides.len()].clone();
            Decide { decision_id, game, ..question }
        };
        self.say(Heard::Decides(DecideBatch { decides: questions.iter().map(decide).collect() }));
    }

    /// The next that the bot says.
    pub async fn request(&mut self) -> Saying {
        let request = timeout(PATIENCE, self.requests.message()).await.expect("nothing said in time");
        request.unwrap().expect("the bot has ended the stream").content.unwrap()
    }

    /// The next answer, from whatever batch.
    pub async fn act(&mut self) -> Act {
        while self.acts.is_empty() {
            match self.request().await {
                Saying::Acts(batch) => self.acts = batch.acts,
                other => panic!("no answer but {other:?}"),
            }
        }
        self.acts.remove(0)
    }

    /// Breaks the stream.
    pub fn cut(self) {
        self.end(Status::unavailable("cut"));
    }

    pub fn end(self, status: Status) {
        let _ = self.responses.send(Err(status));
    }
}

fn golden<M: Message + Default>(name: &str) -> M {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata").join(name);
    M::decode(fs::read(path).unwrap().as_slice()).unwrap()
}

/// Whether anything listens there.
pub async fn listens(path: &Path) -> bool {
    UnixStream::connect(path).await.is_ok()
}
