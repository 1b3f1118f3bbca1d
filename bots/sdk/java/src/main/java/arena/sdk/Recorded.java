package arena.sdk;

import arena.v1.Play.Decide;
import arena.v1.Play.DecideBatch;
import arena.v1.Play.GameStart;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A question of a recorded game, for a bot's tests; the questions of one recording share the game. */
public record Recorded(View view, Legal legal) {

    /** The questions in NAME.game_start.bin and NAME.decides.bin of a folder, in order. */
    public static List<Recorded> questions(Path folder, String name) throws IOException {
        byte[] start = Files.readAllBytes(folder.resolve(name + ".game_start.bin"));
        byte[] questions = Files.readAllBytes(folder.resolve(name + ".decides.bin"));
        Game game = new Game(GameStart.parseFrom(start), System.err::println);
        return DecideBatch.parseFrom(questions).getDecidesList().stream()
                .map(question -> of(game, question))
                .toList();
    }

    private static Recorded of(Game game, Decide question) {
        return new Recorded(game.view(question), game.legal(question));
    }

    /** The game it is a question of. */
    public Game game() {
        return view.game();
    }
}
