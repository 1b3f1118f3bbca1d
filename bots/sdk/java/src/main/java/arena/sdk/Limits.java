package arena.sdk;

import arena.v1.Play;
import java.time.Duration;

/**
 * The clocks of a game.
 *
 * @param decision for one decision
 * @param game for all decisions of the seat in the game: its bank
 * @param increment what each answer adds to the bank
 * @param clocked false where no clock runs, for debugging: no decision is late then
 */
public record Limits(Duration decision, Duration game, Duration increment, boolean clocked) {

    static Limits of(Play.Limits limits) {
        return new Limits(
                Duration.ofMillis(limits.getDecisionMs()),
                Duration.ofMillis(limits.getGameMs()),
                Duration.ofMillis(limits.getIncrementMs()),
                !limits.getUnclocked());
    }
}
