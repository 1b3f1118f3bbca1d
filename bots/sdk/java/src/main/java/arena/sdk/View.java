package arena.sdk;

import com.google.protobuf.ByteString;
import java.util.Arrays;
import java.util.List;

/** What a seat may see at a question: values by the names of {@link Game#fields}; -1 is hidden or none. */
public final class View {
    private final Layout layout;
    private final int[] words;
    private final Game game;
    private final ByteString packedEvents;
    private final int gameLeftMs;

    View(Game game, Layout layout, int[] words, ByteString packedEvents, int gameLeftMs) {
        this.game = game;
        this.layout = layout;
        this.words = words;
        this.packedEvents = packedEvents;
        this.gameLeftMs = gameLeftMs;
    }

    /** Whether the game has a field of this name. */
    public boolean has(String field) {
        return layout.has(field);
    }

    /** The value of a field of one value, such as {@code lap}; the first value of others. */
    public int number(String field) {
        return words[layout.place(field).offset()];
    }

    /** All values of a field, such as {@code troops} by territory. */
    public int[] values(String field) {
        Layout.Place place = layout.place(field);
        return Arrays.copyOfRange(words, place.offset(), place.offset() + place.length());
    }

    /** What this seat saw happen since its last question. */
    public List<Event> events() {
        return Packed.events(packedEvents, game.events());
    }

    /** Time left of the game's limit, in milliseconds; a decision's own limit is in {@link Game#limits}. */
    public int gameLeftMs() {
        return gameLeftMs;
    }

    /** The game this is a view of. */
    public Game game() {
        return game;
    }
}
