package arena.sdk;

import arena.v1.Play.Act;
import arena.v1.Play.ActBatch;
import arena.v1.Play.Decide;
import arena.v1.Play.DecideBatch;
import arena.v1.Play.GameEnd;
import arena.v1.Play.GameStart;
import arena.v1.Play.Join;
import arena.v1.Play.Log;
import arena.v1.Play.PlayRequest;
import arena.v1.Play.PlayResponse;
import arena.v1.Play.Welcome;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/** All games of one bot process; outlives a broken stream. Its messages come one at a time. */
final class Session {
    /** Answers of a batch that are ready leave before the rest when the batch takes longer than this. */
    private static final long FLUSH_NANOS = 20_000_000;
    private static final int REMEMBERED_ANSWERS = 4096;

    private record Seat(Game game, Bot bot) {}

    private final Bot.Factory factory;
    private final Join join;
    private final Map<Integer, Seat> seats = new HashMap<>();
    private final Map<Integer, Act> answers = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Act> eldest) {
            return size() > REMEMBERED_ANSWERS;
        }
    };
    private final Object sending = new Object(); // a bot may log from any thread
    private StreamObserver<PlayRequest> requests;
    private String connectionId = "";
    private int received;
    private Duration resumeWithin = Duration.ZERO;
    private boolean welcomed;
    private boolean asked;

    /** {@code join} says who the bot is. */
    Session(Bot.Factory factory, Join join) {
        this.factory = factory;
        this.join = join;
    }

    /** Whether a next stream resumes a connection. */
    boolean connected() {
        return !connectionId.isEmpty();
    }

    /** Whether the server accepted the last stream. */
    boolean welcomed() {
        return welcomed;
    }

    /** Whether anything was asked over the last stream. */
    boolean asked() {
        return asked;
    }

    /** How long a broken stream may take to resume. */
    Duration resumeWithin() {
        return resumeWithin;
    }

    /** Begin a stream: join, or resume what was begun before. */
    void open(StreamObserver<PlayRequest> stream) {
        welcomed = false;
        asked = false;
        synchronized (sending) {
            requests = stream;
        }
        Join opening = join.toBuilder().setConnectionId(connectionId).setAcknowledged(received).build();
        send(PlayRequest.newBuilder().setJoin(opening));
    }

    /** The stream is over; what is said until the next one is lost. */
    void close() {
        synchronized (sending) {
            requests = null;
        }
    }

    /** Its games are over, or of a server that is no more. */
    void forget() {
        seats.clear();
        answers.clear();
        connectionId = "";
        received = 0;
    }

    /** Take one message of the server, and answer what it asks. */
    void handle(PlayResponse response) {
        switch (response.getContentCase()) {
            case WELCOME -> welcome(response.getWelcome());
            case GAME_START -> start(response.getGameStart());
            case DECIDES -> decide(response.getDecides());
            case GAME_END -> end(response.getGameEnd());
            default -> { } // what a later server says beyond version 1
        }
    }

    private void welcome(Welcome welcome) {
        welcomed = true;
        connectionId = welcome.getConnectionId();
        resumeWithin = Duration.ofMillis(welcome.getResumeMs());
    }

    private void start(GameStart start) {
        seats.computeIfAbsent(start.getGame(), number -> { // one that is known was sent again after a resume
            Game game = new Game(start, this::log);
            return new Seat(game, factory.start(game));
        });
    }

    private void end(GameEnd end) {
        Seat seat = seats.remove(end.getGame());
        if (seat != null) {
            seat.bot.over(Result.of(end));
        }
    }

    private void decide(DecideBatch questions) {
        asked = true;
        ActBatch.Builder acts = ActBatch.newBuilder();
        long flushed = System.nanoTime();
        for (Decide question : questions.getDecidesList()) {
            acts.addActs(answer(question));
            if (System.nanoTime() - flushed > FLUSH_NANOS) {
                send(PlayRequest.newBuilder().setActs(acts));
                acts.clear();
                flushed = System.nanoTime();
            }
        }
        if (acts.getActsCount() > 0) {
            send(PlayRequest.newBuilder().setActs(acts));
        }
    }

    /** The bot's answer; to a question sent again, the same as before. */
    private Act answer(Decide question) {
        Act known = answers.get(question.getDecisionId());
        if (known != null) {
            return known;
        }
        Seat seat = seats.get(question.getGame());
        if (seat == null) {
            throw new ArenaException("a question of game " + question.getGame() + ", which has not begun");
        }
        Answer answer = seat.bot.decide(seat.game.view(question), seat.game.legal(question));
        Act act = answer.toAct(question.getDecisionId());
        received = Math.max(received, question.getDecisionId());
        answers.put(question.getDecisionId(), act);
        return act;
    }

    private void log(String line) {
        send(PlayRequest.newBuilder().setLog(Log.newBuilder().setText(line)));
    }

    private void send(PlayRequest.Builder request) {
        synchronized (sending) {
            if (requests != null) {
                requests.onNext(request.build());
            }
        }
    }
}
