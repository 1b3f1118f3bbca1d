package arena.sdk;

/** What keeps a bot from playing: no server, a refusal, a message that cannot be read. */
public final class ArenaException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public ArenaException(String message) {
        super(message);
    }
}
