import arena.sdk.Arena;

/** Plays a random legal range, then a random amount. */
public final class RandomBot {
    public static void main(String[] args) {
        Arena.play("sdk_java_random", "1", game -> (view, legal) -> legal.sample(game.random()));
    }
}
