package arena.sdk;

import io.grpc.ConnectivityState;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.TlsChannelCredentials;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A way to the server: {@code host:port} or {@code unix:/path}, with TLS where a certificate to trust is given. */
final class Server {
    private static final long RETRY_MS = 100;
    /** A server that has not answered so soon is looked at more closely: some mistakes no waiting mends. */
    private static final Duration LOOK_AFTER = Duration.ofSeconds(1);
    private static final Pattern HOST_AND_PORT = Pattern.compile("(.+):(\\d{1,5})");
    /** gRPC tells of its own set-up, which is not the bot's to say; kept here, or the level would be forgotten. */
    private static final Logger GRPC = Logger.getLogger("io.grpc");

    static {
        GRPC.setLevel(Level.SEVERE);
    }

    private Server() {}

    /**
     * A channel to a server that answers; {@code authority} is the PEM file of a certificate to trust, empty for no TLS.
     * ArenaException: nobody answers within that time, and what to set.
     */
    static ManagedChannel connect(String address, String authority, Duration within) throws InterruptedException {
        boolean local = address.startsWith("unix:"); // never encrypted
        Matcher tcp = HOST_AND_PORT.matcher(address);
        if (!local && !(tcp.matches() && port(tcp) > 0 && port(tcp) < 65_536)) {
            throw new ArenaException("ARENA_ADDRESS: " + address + " is neither host:port nor unix:/path");
        }
        Trust trust = new Trust(local ? "" : authority);
        boolean secure = !local && !authority.isEmpty();
        ManagedChannel channel = channel(address, secure ? trust : null);
        try {
            if (reachable(channel, within.compareTo(LOOK_AFTER) < 0 ? within : LOOK_AFTER)) {
                return channel;
            }
            String trouble = local ? "" : trust.trouble(tcp.group(1).replaceAll("[\\[\\]]", ""), port(tcp));
            if (!trouble.isEmpty()) {
                throw new ArenaException("the server at " + address + " " + trouble);
            }
            if (reachable(channel, within.minus(LOOK_AFTER))) {
                return channel;
            }
            throw new ArenaException("no server answers at " + address + " within " + within.toSeconds()
                    + " s: is it running, and is ARENA_ADDRESS right?");
        } catch (ArenaException | InterruptedException error) {
            channel.shutdownNow();
            throw error;
        }
    }

    private static int port(Matcher address) {
        return Integer.parseInt(address.group(2));
    }

    private static ManagedChannel channel(String address, Trust trust) {
        return Grpc.newChannelBuilder(
                        address,
                        trust == null
                                ? InsecureChannelCredentials.create()
                                : TlsChannelCredentials.newBuilder()
                                        .trustManager(trust.managers())
                                        .build())
                .maxInboundMessageSize(Integer.MAX_VALUE)
                .keepAliveTime(20, TimeUnit.SECONDS) // a server that vanished without a word is noticed
                .keepAliveTimeout(10, TimeUnit.SECONDS)
                .build();
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
