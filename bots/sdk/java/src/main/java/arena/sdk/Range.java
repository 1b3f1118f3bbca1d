package arena.sdk;

import java.util.random.RandomGenerator;

/**
 * All actions of one kind and operands with an amount from lo to hi, both included.
 *
 * @param index its place in the question's list
 * @param kind index into {@link Game#actions}
 * @param name the kind's name, such as {@code attack}
 */
public record Range(int index, int kind, String name, int a, int b, int c, int lo, int hi) {

    /** This range with its lowest amount. */
    public Answer.Choice first() {
        return new Answer.Choice(index, lo);
    }

    /** This range with its highest amount. */
    public Answer.Choice last() {
        return new Answer.Choice(index, hi);
    }

    /** This range with an amount. */
    public Answer.Choice choose(int amount) {
        if (amount < lo || amount > hi) {
            throw new IllegalArgumentException(name + " takes an amount from " + lo + " to " + hi + ", not " + amount);
        }
        return new Answer.Choice(index, amount);
    }

    /** This range with a random amount. */
    public Answer.Choice sample(RandomGenerator random) {
        return choose(lo + random.nextInt(hi - lo + 1));
    }

    /** The same as an action, as a {@link Answer.Plan} holds it. */
    public Answer.Action action(int amount) {
        return new Answer.Action(kind, a, b, c, amount);
    }
}
