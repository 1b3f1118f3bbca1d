import arena.sdk.Answer;
import arena.sdk.Arena;
import arena.sdk.Bot;
import arena.sdk.Game;
import arena.sdk.Legal;
import arena.sdk.Range;
import arena.sdk.View;

/** __NAME__: attacks when it has more troops, else plays at random. One is made for every game and seat. */
public final class MyBot implements Bot {
    private final Game game;

    public MyBot(Game game) {
        this.game = game;
    }

    public static void main(String[] args) {
        Arena.play("__NAME__", "1", MyBot::new);
    }

    /** Answers one decision: {@code view} is what this seat may see, {@code legal} what it may do. */
    @Override
    public Answer decide(View view, Legal legal) {
        int[] troops = view.values("troops");
        for (Range range : legal) {
            if (range.name().equals("attack") && troops[range.a()] > troops[range.b()] + 1) {
                return range.last();
            }
        }
        return legal.sample(game.random());
    }
}
