package arena.sdk;

import arena.v1.PlayServiceGrpc;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.time.Duration;
import java.util.Set;

/** Keeps a session on the line: resumes streams that break, and dials again where it is to. */
final class Dialler {
    /** Between two attempts to join, while ARENA_RETRY lasts: at first, and at most. */
    private static final long PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 2_000;
    /** A stream that breaks for no fault of the bot's: worth a try to resume, no error if that fails. */
    private static final Set<Status.Code> BROKEN =
            Set.of(Status.Code.UNAVAILABLE, Status.Code.CANCELLED, Status.Code.UNKNOWN, Status.Code.INTERNAL);
    /** What a server says to a resume when the games have ended meanwhile. */
    private static final Set<Status.Code> OVER = Set.of(Status.Code.UNAUTHENTICATED, Status.Code.NOT_FOUND);

    private final ManagedChannel channel;
    private final Session session;
    private final Duration retry;

    /** {@code retry} is for how long to dial again after the session was last connected; zero for not at all. */
    Dialler(ManagedChannel channel, Session session, Duration retry) {
        this.channel = channel;
        this.session = session;
        this.retry = retry;
    }

    /** Play until the server has no more games, or has been away for too long. */
    void run() throws InterruptedException {
        long connected = System.nanoTime();
        Duration resume = Duration.ZERO;
        long pause = PAUSE_MS;
        while (true) {
            Duration resumable = stream();
            if (session.welcomed()) {
                connected = System.nanoTime();
                resume = resumable;
                pause = PAUSE_MS;
            }
            Duration allowed = session.connected() && resume.compareTo(retry) > 0 ? resume : retry;
            Duration left = allowed.minusNanos(System.nanoTime() - connected);
            if (left.isNegative() || left.isZero() || !Server.reachable(channel, left)) {
                return;
            }
            if (!session.welcomed()) {
                Thread.sleep(pause);
                if (!session.connected()) { // who resumes has no time to lose
                    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
                }
            }
        }
    }

    /** One stream to its end; for how long it may be resumed. ArenaException if the bot is refused. */
    private Duration stream() throws InterruptedException {
        boolean resuming = session.connected();
        Incoming incoming = new Incoming(session::handle);
        Status status;
        session.open(PlayServiceGrpc.newStub(channel).play(incoming));
        try {
            status = incoming.awaitEnd();
        } finally {
            session.close();
        }
        if (BROKEN.contains(status.getCode())) {
            return session.asked() ? session.resumeWithin() : Duration.ZERO;
        }
        if (status.isOk() || resuming && OVER.contains(status.getCode())) {
            session.forget();
        } else if (retry.isZero() || status.getCode() != Status.Code.ALREADY_EXISTS) {
            // While it dials again, the server may not know yet that an earlier connection is dead.
            boolean unknown = status.getCode() == Status.Code.UNAUTHENTICATED;
            String what = unknown ? "refuses the token in ARENA_TOKEN: " : "ended the stream: ";
            throw new ArenaException("the server " + what + status.getDescription());
        }
        return Duration.ZERO;
    }
}
