package arena.sdk;

/** Decides for one seat of one game. */
@FunctionalInterface
public interface Bot {

    /** The answer to one question; whatever it picks from {@code legal} is legal. */
    Answer decide(View view, Legal legal);

    /** The game is over; what a bot may want to log or to learn from. */
    default void over(Result result) {}

    /** Makes the bot of a game that begins; called once for each game and seat. */
    @FunctionalInterface
    interface Factory {
        Bot start(Game game);
    }
}
