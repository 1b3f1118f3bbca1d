package arena.sdk;

import java.util.AbstractList;
import java.util.Optional;
import java.util.random.RandomGenerator;

/** The legal ranges of a question, in the server's order; never empty. */
public final class Legal extends AbstractList<Range> {
    private final Range[] ranges;

    Legal(Range[] ranges) {
        this.ranges = ranges;
    }

    @Override
    public Range get(int index) {
        return ranges[index];
    }

    @Override
    public int size() {
        return ranges.length;
    }

    /** The first range of a kind, such as {@code end}, if there is one. */
    public Optional<Range> find(String name) {
        return stream().filter(range -> range.name().equals(name)).findFirst();
    }

    /** A random range with a random amount. */
    public Answer.Choice sample(RandomGenerator random) {
        return ranges[random.nextInt(ranges.length)].sample(random);
    }
}
