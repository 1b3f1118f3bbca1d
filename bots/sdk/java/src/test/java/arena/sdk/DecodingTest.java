package arena.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.Play.Decide;
import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonNull;
import com.google.gson.JsonObject;
import com.google.gson.reflect.TypeToken;
import com.google.protobuf.ByteString;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What is read from the platform's bytes is what the platform says is in them. */
class DecodingTest {
    private static final Gson GSON = new Gson();
    private static final Type STRINGS = new TypeToken<List<String>>() {}.getType();

    @ParameterizedTest
    @MethodSource("arena.sdk.TestData#variants")
    void aGameIsRead(String variant) {
        TestData data = TestData.of(variant);
        Game game = data.game();
        JsonObject said = data.said().getAsJsonObject("game");
        assertEquals(said.get("game").getAsInt(), game.number());
        assertEquals(said.get("seat").getAsInt(), game.seat());
        assertEquals(said.get("decision_ms").getAsLong(), game.limits().decision().toMillis());
        assertEquals(said.get("game_ms").getAsLong(), game.limits().game().toMillis());
        assertEquals(said.get("increment_ms").getAsLong(), game.limits().increment().toMillis());
        assertEquals(said.get("unclocked").getAsBoolean(), !game.limits().clocked());
        assertEquals(said.get("seats").getAsInt(), game.rules().getSeats());
        assertEquals(said.get("players"), GSON.toJsonTree(List.copyOf(game.players())));
        assertEquals(said.get("actions"), GSON.toJsonTree(game.actions().stream().map(Kind::name).toList()));
        assertEquals(said.get("events"), GSON.toJsonTree(game.events().stream().map(Kind::name).toList()));
        assertEquals(said.getAsJsonObject("options").get("pace"), game.option("pace", JsonNull.INSTANCE));
        assertEquals(JsonNull.INSTANCE, game.option("unheard_of", JsonNull.INSTANCE));
        for (int colour = 0; colour < said.getAsJsonArray("colour_seats").size(); colour++) {
            boolean own = said.getAsJsonArray("colour_seats").get(colour).getAsInt() == game.seat();
            assertEquals(own, game.commands(colour));
        }
    }

    @ParameterizedTest
    @MethodSource("arena.sdk.TestData#variants")
    void neighboursAreTheBordersOfTheBoard(String variant) {
        TestData data = TestData.of(variant);
        JsonObject said = data.said().getAsJsonObject("game");
        List<String> ids = GSON.fromJson(said.get("territories"), STRINGS);
        TreeSet<String> expected = new TreeSet<>();
        for (JsonElement border : said.getAsJsonArray("borders")) {
            String one = border.getAsJsonArray().get(0).getAsString();
            String other = border.getAsJsonArray().get(1).getAsString();
            expected.addAll(List.of(one + "-" + other, other + "-" + one));
        }
        TreeSet<String> found = new TreeSet<>();
        List<List<Integer>> neighbours = data.game().neighbours();
        for (int one = 0; one < ids.size(); one++) {
            for (int other : neighbours.get(one)) {
                found.add(ids.get(one) + "-" + ids.get(other));
            }
        }
        assertEquals(expected, found);
    }

    @ParameterizedTest
    @MethodSource("arena.sdk.TestData#variants")
    void everyQuestionIsRead(String variant) {
        TestData data = TestData.of(variant);
        Game game = data.game();
        JsonArray questions = data.said().getAsJsonArray("decides");
        assertTrue(questions.size() > 3);
        assertEquals(questions.size(), data.decides().getDecidesCount());
        for (int i = 0; i < questions.size(); i++) {
            Decide question = data.decides().getDecides(i);
            JsonObject said = questions.get(i).getAsJsonObject();
            View view = game.view(question);
            assertEquals(said.get("decision_id").getAsInt(), question.getDecisionId());
            assertEquals(said.get("game_left_ms").getAsInt(), view.gameLeftMs());
            assertEquals(said.get("view"), fields(view));
            assertEquals(said.get("legal"), list(game.legal(question).stream().map(DecodingTest::json)));
            assertEquals(said.get("events"), list(view.events().stream().map(DecodingTest::json)));
        }
    }

    @Test
    void namesComeFromTheGame() {
        TestData data = TestData.of("classic");
        Game game = data.game();
        for (Decide question : data.decides().getDecidesList()) {
            for (Range range : game.legal(question)) {
                assertEquals(game.actions().get(range.kind()).name(), range.name());
                assertEquals(range, game.legal(question).get(range.index()));
            }
            View view = game.view(question);
            view.events().forEach(event -> assertEquals(game.events().get(event.kind()).name(), event.name()));
            assertEquals(view.values("lap")[0], view.number("lap"));
        }
    }

    @Test
    void whatIsNotThereIsNamed() {
        TestData data = TestData.of("classic");
        View view = data.game().view(data.decides().getDecides(0));
        assertTrue(view.has("troops"));
        NoSuchElementException error = assertThrows(NoSuchElementException.class, () -> view.values("tropps"));
        assertTrue(error.getMessage().contains("tropps"), error.getMessage());
    }

    @Test
    void aViewOfAnotherLayoutIsRefused() {
        TestData data = TestData.of("classic");
        Decide question = data.decides().getDecides(0);
        byte[] bytes = question.getView().toByteArray();
        bytes[0]++;
        Decide other = question.toBuilder().setView(ByteString.copyFrom(bytes)).build();
        assertThrows(ArenaException.class, () -> data.game().view(other));
    }

    @Test
    void equalSeedsDrawEqually() {
        List<Integer> drawn = new ArrayList<>();
        for (Game game : List.of(TestData.of("classic").game(), TestData.of("classic").game())) {
            game.random().ints(100, 0, 1000).forEach(drawn::add);
        }
        assertEquals(drawn.subList(0, 100), drawn.subList(100, 200));
        Game other = new Game(
                TestData.of("classic").start().toBuilder()
                        .setBotSeed(ByteString.copyFromUtf8("another seed"))
                        .build(),
                line -> {});
        assertTrue(!drawn.subList(0, 100).equals(other.random().ints(100, 0, 1000).boxed().toList()));
    }

    private static JsonObject fields(View view) {
        JsonObject fields = new JsonObject();
        view.game().fields().forEach(field -> {
            fields.add(field.getName(), GSON.toJsonTree(view.values(field.getName())));
        });
        return fields;
    }

    private static JsonArray list(Stream<JsonObject> objects) {
        JsonArray list = new JsonArray();
        objects.forEach(list::add);
        return list;
    }

    private static JsonObject json(Range range) {
        JsonObject object = GSON.toJsonTree(range).getAsJsonObject();
        object.remove("index");
        object.remove("name");
        return object;
    }

    private static JsonObject json(Event event) {
        JsonObject object = GSON.toJsonTree(event).getAsJsonObject();
        object.remove("name");
        return object;
    }
}
