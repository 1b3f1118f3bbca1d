package arena.sdk;

import io.grpc.ChannelCredentials;
import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;

/** A way to the server: {@code host:port} or {@code unix:/path}, with TLS where a certificate to trust is given. */
final class Server {
    private static final long RETRY_MS = 100;
    /** gRPC tells of its own set-up, which is not the bot's to say; kept here, or the level would be forgotten. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    static {
        GRPC.setLevel(Level.SEVERE);
    }

    private Server() {}

    /** A channel to an address; {@code authority} is the PEM file of a certificate to trust, empty for no TLS. */
    static ManagedChannel channel(String address, String authority) {
        boolean local = address.startsWith("unix:"); // never encrypted
        return Grpc.newChannelBuilder(address, credentials(local ? "" : authority))
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .keepAliveTime(20, TimeUnit.SECONDS) // a server that vanished without a word is noticed
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
    }

    private static ChannelCredentials credentials(String authority) {
        if (authority.isEmpty()) {
            return InsecureChannelCredentials.create();
        }
        try {
            return TlsChannelCredentials.newBuilder()
                    .trustManager(new File(authority))
                    .build();
        } catch (IOException error) {
            throw new ArenaException("ARENA_CA must be the path of a PEM certificate: " + error.getMessage());
        }
    }

    /** Whether the server answers within a time; it is tried again and again until then. */
    static boolean reachable(ManagedChannel channel, Duration within) throws InterruptedException {
        long deadline = System.nanoTime() + within.toNanos();
        while (true) {
            ConnectivityState state = channel.getState(true);
            if (state == ConnectivityState.READY) {
                return true;
            }
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                return false;
            }
            if (state == ConnectivityState.TRANSIENT_FAILURE) {
                Thread.sleep(Math.min(RETRY_MS, left));
                channel.resetConnectBackoff();
            } else {
                CountDownLatch changed = new CountDownLatch(1);
                channel.notifyWhenStateChanged(state, changed::countDown);
                changed.await(left, TimeUnit.MILLISECONDS);
            }
        }
    }
}
