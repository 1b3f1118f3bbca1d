package arena.sdk;

import arena.v1.Play.DecideBatch;
import arena.v1.Play.GameStart;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The bytes that the platform made for the tests of every SDK, and what is to be read from them. */
record TestData(GameStart start, DecideBatch decides, JsonObject said) {
    private static final Path FOLDER = Path.of("..", "testdata");
    static final List<String> VARIANTS = List.of("classic", "command_room", "endor");

    static TestData of(String variant) {
        try {
            return new TestData(
                    GameStart.parseFrom(Files.readAllBytes(FOLDER.resolve(variant + ".game_start.bin"))),
                    DecideBatch.parseFrom(Files.readAllBytes(FOLDER.resolve(variant + ".decides.bin"))),
                    JsonParser.parseString(Files.readString(FOLDER.resolve(variant + ".json"))).getAsJsonObject());
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    static List<String> variants() {
        return VARIANTS;
    }

    Game game() {
        return new Game(start, line -> {});
    }
}
