package arena.sdk;

import arena.v1.Play.Join;
import io.grpc.ManagedChannel;
import java.time.Duration;
import java.util.Map;

/** Plays a bot over gRPC: {@code Arena.play("name", "1", game -> (view, legal) -> answer)} is all a bot needs. */
public final class Arena {
    private static final Duration CONNECT = Duration.ofSeconds(10);

    private Arena() {}

    /**
     * Play all games of the server that ARENA_ADDRESS names until it has no more, then exit the process: with code 0,
     * or with 1 and a sentence on the standard error when the bot cannot play. What the bot throws ends it with its
     * trace.
     */
    public static void play(String name, String version, Bot.Factory factory) {
        int code = 1;
        try {
            play(name, version, factory, System.getenv(), CONNECT);
            code = 0;
        } catch (ArenaException error) {
            System.err.println(name + ": " + error.getMessage());
        } catch (InterruptedException error) {
            System.err.println(name + ": interrupted");
        } catch (RuntimeException | Error error) {
            error.printStackTrace();
        }
        System.exit(code);
    }

    /** The same with the environment's variables given, and without the exit; ArenaException where it cannot play. */
    static void play(
            String name, String version, Bot.Factory factory, Map<String, String> environment, Duration connect)
            throws InterruptedException {
        String address = environment.getOrDefault("ARENA_ADDRESS", "");
        if (address.isEmpty()) {
            throw new ArenaException("no server address: set ARENA_ADDRESS to host:port or unix:/path");
        }
        Join join = Join.newBuilder()
                .setToken(environment.getOrDefault("ARENA_TOKEN", ""))
                .setName(name)
                .setVersion(version)
                .build();
        Duration retry = seconds("ARENA_RETRY", environment);
        Duration within = retry.compareTo(connect) > 0 ? retry : connect;
        ManagedChannel channel = Server.connect(address, environment.getOrDefault("ARENA_CA", ""), within);
        try {
            new Dialler(channel, new Session(factory, join), retry).run();
        } finally {
            channel.shutdownNow();
        }
    }

    private static Duration seconds(String variable, Map<String, String> environment) {
        String text = environment.getOrDefault(variable, "");
        try {
            double seconds = text.isEmpty() ? 0 : Double.parseDouble(text);
            return Duration.ofMillis(Math.max(0, Math.round(1000 * seconds)));
        } catch (NumberFormatException error) {
            throw new ArenaException(variable + " must be a number of seconds, not \"" + text + "\"");
        }
    }
}
