//! A bot against a scripted server.

use std::future::Future;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::{JoinHandle, spawn};
use std::time::{Duration, Instant};

use tonic::Status;

use super::scripted::{Scripted, listens};
use crate::session::Session;
use crate::wire::GameEnd;
use crate::wire::play_request::Content as Saying;
use crate::wire::play_response::Content as Heard;
use crate::{Answer, Bot, Error, Game, Info, Question, serve};

type Playing = JoinHandle<Result<(), Error>>;

fn run<T>(test: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(test)
}

fn info(server: &Scripted) -> Info {
    let address = format!("unix:{}", server.path.display());
    Info { name: "tested".into(), version: "1".into(), address, token: "token".into(), ..Info::default() }
}

fn play<B: Bot + 'static>(server: &Scripted, start: impl Fn(Game) -> B + Send + Sync + 'static) -> Playing {
    let info = Info { threads: 2, ..info(server) };
    spawn(move || serve(info, start))
}

/// Waits for the bot's end without standing in the server's way.
async fn end(playing: Playing) -> Result<(), Error> {
    tokio::task::spawn_blocking(|| playing.join().unwrap()).await.unwrap()
}

/// A bot that counts: its n-th answer, over all games, has amount n.
fn counting(
    asked: &Arc<AtomicUsize>,
) -> impl Fn(Game) -> Box<dyn FnMut(&Question) -> Answer> + Send + Sync + 'static {
    let asked = asked.clone();
    move |_| {
        let asked = asked.clone();
        Box::new(move |q| q.legal[0].answer(asked.fetch_add(1, Ordering::SeqCst) as i32))
    }
}

#[test]
fn several_games_share_one_stream() {
    run(async {
        let mut server = Scripted::listen("several");
        let bot = play(&server, |game: Game| move |q: &Question| q.legal[0].answer(game.number as i32));
        let mut stream = server.stream().await;
        assert_eq!((stream.join.token.as_str(), stream.join.name.as_str()), ("token", "tested"));
        (1..=3).for_each(|game| stream.start(game));
        stream.ask(&[(1, 1), (2, 2), (3, 3)]);
        stream.ask(&[(4, 2)]);
        let mut answers = Vec::new();
        for _ in 0..4 {
            let act = stream.act().await;
            answers.push((act.decision_id, act.amount));
        }
        answers.sort_unstable();
        assert_eq!(answers, [(1, 1), (2, 2), (3, 3), (4, 2)]);
        drop(stream);
        end(bot).await.unwrap();
    });
}

/// Thinks in game 1 until it is told to go on.
fn slow(wait: Receiver<()>) -> impl Fn(Game) -> Box<dyn FnMut(&Question) -> Answer> + Send + Sync + 'static {
    let wait = Arc::new(Mutex::new(wait));
    move |game| {
        let wait = wait.clone();
        Box::new(move |q| {
            if game.number == 1 {
                wait.lock().unwrap().recv().unwrap();
            }
            q.legal[0].answer(game.number as i32)
        })
    }
}

#[test]
fn a_game_that_thinks_does_not_hold_up_another() {
    run(async {
        let mut server = Scripted::listen("concurrent");
        let (go, wait): (Sender<()>, _) = channel();
        let bot = play(&server, slow(wait));
        let mut stream = server.stream().await;
        stream.start(1);
        stream.start(2);
        stream.ask(&[(1, 1), (2, 2)]);
        assert_eq!(stream.act().await.decision_id, 2);
        go.send(()).unwrap();
        assert_eq!(stream.act().await.decision_id, 1);
        drop(stream);
        end(bot).await.unwrap();
    });
}

#[test]
fn c12_a_question_asked_again_gets_the_same_answer() {
    run(async {
        let mut server = Scripted::listen("again");
        let asked = Arc::new(AtomicUsize::new(10));
        let bot = play(&server, counting(&asked));
        let mut stream = server.stream().await;
        stream.start(1);
        stream.ask(&[(7, 1)]);
        let first = stream.act().await;
        stream.cut();
        let mut stream = server.stream().await;
        assert_eq!((stream.join.connection_id.as_str(), stream.join.acknowledged), ("connection", 7));
        stream.start(1); // sent again: to be ignored
        stream.ask(&[(7, 1)]);
        assert_eq!(stream.act().await, first);
        stream.ask(&[(8, 1)]);
        assert_eq!(stream.act().await.amount, 11);
        assert_eq!(asked.load(Ordering::SeqCst), 12); // the bot itself was asked twice
        drop(stream);
        end(bot).await.unwrap();
    });
}

#[test]
fn c12_what_was_thought_about_when_the_stream_broke_is_answered_on_the_next() {
    run(async {
        let mut server = Scripted::listen("thinking");
        let (go, wait) = channel();
        let bot = play(&server, slow(wait));
        let mut stream = server.stream().await;
        stream.start(1);
        stream.start(2);
        stream.ask(&[(1, 1), (2, 2)]);
        assert_eq!(stream.act().await.decision_id, 2);
        stream.cut();
        let mut stream = server.stream().await;
        stream.ask(&[(1, 1), (3, 2)]);
        assert_eq!(stream.act().await.decision_id, 3);
        go.send(()).unwrap();
        assert_eq!(stream.act().await.decision_id, 1);
        stream.ask(&[(2, 2)]);
        assert_eq!(stream.act().await.decision_id, 2);
        drop(stream);
        end(bot).await.unwrap();
    });
}

#[test]
fn c16_a_question_of_an_ended_game_is_not_answered() {
    run(async {
        let mut server = Scripted::listen("stale");
        let asked = Arc::new(AtomicUsize::new(0));
        let bot = play(&server, counting(&asked));
        let mut stream = server.stream().await;
        stream.start(1);
        stream.start(2);
        stream.ask(&[(1, 1)]);
        assert_eq!(stream.act().await.decision_id, 1);
        stream.say(Heard::GameEnd(GameEnd { game: 1, ..Default::default() }));
        stream.ask(&[(1, 1), (2, 1), (3, 9), (4, 2)]);
        assert_eq!(stream.act().await.decision_id, 4);
        assert_eq!(asked.load(Ordering::SeqCst), 2);
        drop(stream);
        end(bot).await.unwrap();
    });
}

struct Talker {
    game: Game,
    ends: Sender<String>,
}

impl Bot for Talker {
    fn decide(&mut self, question: &Question) -> Answer {
        self.game.log("hello");
        let range = question.legal[0];
        Answer::Actions(vec![range.action(range.lo), range.action(range.hi)])
    }

    fn end(&mut self, end: &GameEnd) {
        self.ends.send(end.termination.clone()).unwrap();
    }
}

#[test]
fn logs_plans_and_hears_of_the_end() {
    run(async {
        let mut server = Scripted::listen("talker");
        let (ends, ended) = channel();
        let bot = play(&server, move |game| Talker { game, ends: ends.clone() });
        let mut stream = server.stream().await;
        stream.start(1);
        stream.ask(&[(1, 1)]);
        assert!(matches!(stream.request().await, Saying::Log(log) if log.text == "hello"));
        assert_eq!(stream.act().await.actions.len(), 2);
        stream.say(Heard::GameEnd(GameEnd { game: 1, termination: "rules".into(), ..Default::default() }));
        drop(stream);
        end(bot).await.unwrap();
        assert_eq!(ended.try_recv().unwrap(), "rules");
    });
}

struct Mute;

impl Bot for Mute {
    fn decide(&mut self, _question: &Question) -> Answer {
        Answer::Actions(vec![])
    }
}

#[test]
fn an_answer_without_an_action_is_the_referees_to_judge() {
    run(async {
        let mut server = Scripted::listen("mute");
        let bot = play(&server, |_| Mute);
        let mut stream = server.stream().await;
        stream.start(1);
        stream.ask(&[(1, 1)]);
        let act = stream.act().await;
        assert_eq!((act.decision_id, act.range, act.actions.len()), (1, u32::MAX, 0));
        drop(stream);
        end(bot).await.unwrap();
    });
}

#[test]
fn it_dials_again_while_retry_lasts() {
    run(async {
        let mut server = Scripted::listen("retry");
        let (go, wait) = channel();
        let info = Info { retry: Duration::from_secs(5), threads: 2, ..info(&server) };
        let bot = spawn(move || serve(info, slow(wait)));
        let stream = server.stream().await;
        stream.start(1);
        stream.ask(&[(1, 1)]);
        drop(stream); // its games are over, while it still thinks about one
        let mut stream = server.stream().await;
        assert_eq!(stream.join.connection_id, "");
        stream.start(2);
        go.send(()).unwrap(); // what it thought about the old question 1 is no answer to the new one
        stream.ask(&[(1, 2)]);
        assert_eq!(stream.act().await.amount, 2);
        stream.end(Status::already_exists("still connected"));
        drop(server.stream().await);
        server.stop();
        end(bot).await.unwrap();
    });
}

#[test]
fn a_server_that_goes_away_is_no_error() {
    run(async {
        let mut server = Scripted::listen("gone");
        let bot = play(&server, counting(&Arc::default()));
        let stream = server.stream().await;
        stream.cut(); // before any question: nothing to resume
        end(bot).await.unwrap();
    });
}

#[test]
fn a_refused_token_is_an_error_with_the_servers_words() {
    run(async {
        let server = Scripted::listen("refused");
        let info = Info { token: "wrong".into(), ..info(&server) };
        let bot = spawn(move || serve(info, counting(&Arc::default())));
        let problem = end(bot).await.unwrap_err().to_string();
        assert!(problem.contains("refuses the token") && problem.contains("unknown token"), "{problem}");
        assert!(listens(&server.path).await);
    });
}

#[test]
fn nobody_at_the_address_is_an_error_that_names_it() {
    let info = Info { address: "unix:/nowhere/at/all".into(), ..Info::default() };
    let began = Instant::now();
    let session = Session::new(info, counting(&Arc::default()));
    let problem = run(session.run(Duration::from_millis(300))).unwrap_err().to_string();
    assert!(
        problem.contains("no server answers at unix:/nowhere/at/all within 300ms: is it running"),
        "{problem}"
    );
    assert!(began.elapsed() < Duration::from_secs(60));
}

#[test]
fn wrong_settings_are_errors_that_name_them() {
    let problem = |info| serve(info, counting(&Arc::default())).unwrap_err().to_string();
    assert!(problem(Info::default()).contains("ARENA_ADDRESS"));
    for address in ["foo", ":50051", "foo:", "foo:port", "foo:0", "foo:70000", "no uri:1"] {
        let info = Info { address: address.into(), ..Info::default() };
        assert_eq!(problem(info), format!("ARENA_ADDRESS: {address} is neither host:port nor unix:/path"));
    }
    for (ca, why) in [
        ("/nowhere/at/all.pem", "No such file"),
        (concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml"), "it is no PEM file"),
    ] {
        let info = Info { address: "localhost:1".into(), ca: ca.into(), ..Info::default() };
        let start = format!("ARENA_CA: no certificate can be read from {ca} ({why}");
        let problem = problem(info);
        assert!(problem.starts_with(&start), "{problem}");
    }
}

#[test]
#[should_panic(expected = "the bot's own mistake")]
fn a_panic_of_the_bot_comes_through() {
    run(async {
        let mut server = Scripted::listen("panic");
        let bot = play(&server, |_| |_: &Question| -> Answer { panic!("the bot's own mistake") });
        let stream = server.stream().await;
        stream.start(1);
        stream.ask(&[(1, 1)]);
        let panic = tokio::task::spawn_blocking(|| bot.join()).await.unwrap().unwrap_err();
        std::panic::resume_unwind(panic);
    });
}
