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
import arena.v1.PlayServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;

/** All games of one bot process; outlives a broken stream. Its messages come one at a time. */
final class Session {
    /** Answers of a batch that are ready leave before the rest when the batch takes longer than this. */
    private static final long FLUSH_NANOS = 20_000_000;
    private static final int REMEMBERED_ANSWERS = 4096;
    /** A stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails. */
    private static final Set<Status.Code> BROKEN =
            Set.of(Status.Code.UNAVAILABLE, Status.Code.CANCELLED, Status.Code.UNKNOWN);
    /** What a server says to a resume when the games have ended meanwhile. */
    private static final Set<Status.Code> OVER = Set.of(Status.Code.UNAUTHENTICATED, Status.Code.NOT_FOUND);

    private record Seat(Game game, Bot bot) {}

    private final Bot.Factory factory;
    private final Map<Integer, Seat> seats = new HashMap<>();
    private final Map<Integer, Act> answers = new LinkedHashMap<>() {
        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Act> eldest) {
            return size() > REMEMBERED_ANSWERS;
        }
    };
    private final Join join;
    private String connectionId = "";
    private int received;
    private Duration resumeWithin = Duration.ZERO;
    private boolean resumable;
    private Outgoing outgoing;

    Session(Bot.Factory factory, Join join) {
        this.factory = factory;
        this.join = join;
    }

    /** Play until the server ends the stream; one that breaks is resumed once for every time that it worked. */
    void run(ManagedChannel channel) throws InterruptedException {
        Status status = stream(channel, join);
        while (!status.isOk()) {
            if (!BROKEN.contains(status.getCode())) {
                throw new ArenaException("the server ended the stream: " + status.getDescription());
            }
            if (!resumable || !Server.reachable(channel, resumeWithin)) {
                return;
            }
            resumable = false;
            status = stream(channel, join.toBuilder().setConnectionId(connectionId).setAcknowledged(received).build());
            if (OVER.contains(status.getCode())) {
                return;
            }
        }
    }

    /** One stream from its Join to its end; the status it ended with. */
    private Status stream(ManagedChannel channel, Join opening) throws InterruptedException {
        Incoming incoming = new Incoming(this::handle);
        outgoing = new Outgoing(PlayServiceGrpc.newStub(channel).play(incoming));
        outgoing.send(PlayRequest.newBuilder().setJoin(opening).build());
        try {
            return incoming.awaitEnd();
        } finally {
            outgoing.end();
        }
    }

    private void handle(PlayResponse response) {
        switch (response.getContentCase()) {
            case WELCOME -> welcome(response.getWelcome());
            case GAME_START -> start(response.getGameStart());
            case DECIDES -> decide(response.getDecides());
            case GAME_END -> end(response.getGameEnd());
            default -> { } // what a later server says beyond version 1
        }
    }

    private void welcome(Welcome welcome) {
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
        resumable = true;
        ActBatch.Builder acts = ActBatch.newBuilder();
        long flushed = System.nanoTime();
        for (Decide question : questions.getDecidesList()) {
            acts.addActs(answer(question));
            if (System.nanoTime() - flushed > FLUSH_NANOS) {
                send(acts);
                flushed = System.nanoTime();
            }
        }
        if (acts.getActsCount() > 0) {
            send(acts);
        }
    }

    private void send(ActBatch.Builder acts) {
        outgoing.send(PlayRequest.newBuilder().setActs(acts).build());
        acts.clear();
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
        outgoing.send(PlayRequest.newBuilder().setLog(Log.newBuilder().setText(line)).build());
    }

    /** The outgoing side of one stream; a bot may log from any thread. */
    private static final class Outgoing {
        private final StreamObserver<PlayRequest> requests;
        private boolean ended;

        Outgoing(StreamObserver<PlayRequest> requests) {
            this.requests = requests;
        }

        synchronized void send(PlayRequest request) {
            if (!ended) {
                requests.onNext(request);
            }
        }

        synchronized void end() {
            ended = true;
        }
    }
}
