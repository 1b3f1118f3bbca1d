package arena.sdk;

import com.google.protobuf.ByteString;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/** Reads the packed layouts that rules.proto documents: little-endian words of 32 bits. */
final class Packed {
    private static final int WORDS_A_RANGE = 3;
    private static final int WORDS_AN_EVENT = 4;

    private Packed() {}

    static int[] words(ByteString packed) {
        int[] words = new int[packed.size() / Integer.BYTES];
        packed.asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(words);
        return words;
    }

    static Legal legal(ByteString packed, List<Kind> kinds) {
        int[] words = words(packed);
        Range[] ranges = new Range[words.length / WORDS_A_RANGE];
        for (int i = 0; i < ranges.length; i++) {
            int code = words[i * WORDS_A_RANGE];
            int kind = part(code, 0);
            ranges[i] = new Range(
                    i,
                    kind,
                    kinds.get(kind).name(),
                    part(code, 1),
                    part(code, 2),
                    part(code, 3),
                    words[i * WORDS_A_RANGE + 1],
                    words[i * WORDS_A_RANGE + 2]);
        }
        return new Legal(ranges);
    }

    static List<Event> events(ByteString packed, List<Kind> kinds) {
        int[] words = words(packed);
        List<Event> events = new ArrayList<>();
        int at = 0;
        while (at < words.length) {
            int code = words[at];
            int dice = words[at + 3];
            List<Integer> rolled = new ArrayList<>(dice);
            for (int i = 0; i < dice; i++) {
                rolled.add(words[at + WORDS_AN_EVENT + i]);
            }
            int kind = part(code, 0);
            events.add(new Event(
                    kind,
                    kinds.get(kind).name(),
                    part(code, 1),
                    part(code, 2),
                    part(code, 3),
                    words[at + 1],
                    words[at + 2],
                    List.copyOf(rolled)));
            at += WORDS_AN_EVENT + dice;
        }
        return events;
    }

    /** One of the four bytes of a word, the lowest first. */
    private static int part(int word, int number) {
        return word >>> (8 * number) & 0xFF;
    }
}
