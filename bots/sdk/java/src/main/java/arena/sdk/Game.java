package arena.sdk;

import arena.v1.Play.Decide;
import arena.v1.Play.GameStart;
import arena.v1.RulesOuterClass;
import arena.v1.RulesOuterClass.Rules;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;

/** A game as its start described it, from one seat. */
public final class Game {
    private final GameStart start;
    private final Layout layout;
    private final Random random;
    private final Consumer<String> log;
    private final List<Kind> actions;
    private final List<Kind> events;
    private List<List<Integer>> neighbours;

    Game(GameStart start, Consumer<String> log) {
        this.start = start;
        this.log = log;
        layout = new Layout(start.getRules());
        random = new Random(seed(start.getBotSeed().toByteArray()));
        actions = kinds(rules().getActionsList());
        events = kinds(rules().getEventsList());
    }

    /** Number of this seat's game on this connection. */
    public int number() {
        return start.getGame();
    }

    /** The bot's seat. */
    public int seat() {
        return start.getSeat();
    }

    /** Names of colours, territories, cards, phases, ...: everything the server says about the game's vocabulary. */
    public Rules rules() {
        return start.getRules();
    }

    /** Kinds of actions; a range's kind is an index into this list. */
    public List<Kind> actions() {
        return actions;
    }

    /** Kinds of events; an event's kind is an index into this list. */
    public List<Kind> events() {
        return events;
    }

    /** The view's fields: names, and what their values and indices mean. */
    public List<RulesOuterClass.Field> fields() {
        return rules().getFieldsList();
    }

    /** Whether this seat commands a colour. */
    public boolean commands(int colour) {
        return colour >= 0 && colour < rules().getColourSeatsCount() && rules().getColourSeats(colour) == seat();
    }

    /** The whole resolved ruleset as JSON: board, options, tables. */
    public JsonObject ruleset() {
        return JsonParser.parseString(start.getRuleset()).getAsJsonObject();
    }

    /** The territories next to each territory; no neighbours where the ruleset's board has no borders. */
    public List<List<Integer>> neighbours() {
        if (neighbours == null) {
            neighbours = readNeighbours();
        }
        return neighbours;
    }

    /** The clocks. */
    public Limits limits() {
        return Limits.of(start.getLimits());
    }

    /** Randomness seeded for this bot in this game: with no other source of it, a match repeats exactly. */
    public Random random() {
        return random;
    }

    /** The seed of {@link #random}, for a generator of one's own. */
    public byte[] botSeed() {
        return start.getBotSeed().toByteArray();
    }

    /** Labels of the players by seat; empty where they stay unknown. */
    public List<String> players() {
        return start.getPlayersList();
    }

    /** A setting of the bot's entry in the tournament, or what it is unless set. */
    public JsonElement option(String name, JsonElement otherwise) {
        String value = start.getOptionsMap().get(name);
        return value == null ? otherwise : JsonParser.parseString(value);
    }

    /** All settings of the bot's entry, as JSON values by name. */
    public Map<String, String> options() {
        return start.getOptionsMap();
    }

    /** A line for the author's log, which the platform keeps with the game. */
    public void log(String line) {
        log.accept(line);
    }

    View view(Decide question) {
        int[] words = layout.check(Packed.words(question.getView()));
        return new View(this, layout, words, question.getEvents(), question.getGameLeftMs());
    }

    Legal legal(Decide question) {
        return Packed.legal(question.getLegal(), actions);
    }

    private static List<Kind> kinds(List<RulesOuterClass.Kind> kinds) {
        return kinds.stream()
                .map(kind -> new Kind(kind.getName(), List.copyOf(kind.getOperandsList()), kind.getAmount()))
                .toList();
    }

    private List<List<Integer>> readNeighbours() {
        List<String> ids = rules().getTerritoriesList();
        List<List<Integer>> found = new ArrayList<>();
        ids.forEach(id -> found.add(new ArrayList<>()));
        JsonObject board = ruleset().getAsJsonObject("board");
        JsonArray borders = board == null ? null : board.getAsJsonArray("borders");
        for (JsonElement border : borders == null ? new JsonArray() : borders) {
            int one = ids.indexOf(border.getAsJsonArray().get(0).getAsString());
            int other = ids.indexOf(border.getAsJsonArray().get(1).getAsString());
            found.get(one).add(other);
            found.get(other).add(one);
        }
        return found;
    }

    /** The seed's bytes folded into 64 bits, the same on every machine. */
    private static long seed(byte[] bytes) {
        long folded = 0;
        ByteBuffer padded = ByteBuffer.wrap(Arrays.copyOf(bytes, (bytes.length + 7) / 8 * 8))
                .order(ByteOrder.LITTLE_ENDIAN);
        while (padded.hasRemaining()) {
            folded = folded * 0x9E3779B97F4A7C15L + padded.getLong();
        }
        return folded;
    }
}
