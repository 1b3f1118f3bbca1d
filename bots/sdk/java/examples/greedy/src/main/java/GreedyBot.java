import arena.sdk.Answer;
import arena.sdk.Arena;
import arena.sdk.Bot;
import arena.sdk.Game;
import arena.sdk.Legal;
import arena.sdk.Range;
import arena.sdk.View;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;

/** Attacks where it is stronger by most, deploys there, and moves what stands behind to the front. */
public final class GreedyBot implements Bot {
    private static final int CLEARLY_STRONGER = 2;
    private static final double WORSE_THAN_TO_STOP = Double.NaN;

    private final Game game;
    private final List<List<Integer>> neighbours;
    private int[] owner;
    private int[] troops;
    private int[] stepsToFront;

    private GreedyBot(Game game) {
        this.game = game;
        neighbours = game.neighbours();
    }

    public static void main(String[] args) {
        Arena.play("sdk_java_greedy", "1", GreedyBot::new);
    }

    @Override
    public Answer decide(View view, Legal legal) {
        Range best = null;
        if (view.has("owner") && view.has("troops")) {
            owner = view.values("owner");
            troops = view.values("troops");
            stepsToFront = stepsToFront();
            best = mostWorth(legal);
        }
        return best == null ? decline(legal) : amount(best);
    }

    private Range mostWorth(Legal legal) {
        Range best = null;
        double most = 0;
        for (Range range : legal) {
            double worth = worth(range);
            if (!Double.isNaN(worth) && (best == null || worth > most)) {
                best = range;
                most = worth;
            }
        }
        return best;
    }

    /** What an action is worth beside others of its kind; kinds it has no thought about are not worth the while. */
    private double worth(Range range) {
        int a = range.a();
        int b = range.b();
        return switch (range.name()) {
            case "trade", "defend", "occupy", "objective" -> 1;
            case "stars" -> a + 2 * b;
            case "bonus", "deploy" -> bestLead(a);
            case "claim" -> neighbours.get(a).size() - enemies(a);
            case "place" -> game.commands(range.c()) ? bestLead(a) : -troops[a];
            case "capital", "headquarters" -> troops[a] - enemies(a);
            case "airfield" -> enemies(a);
            case "attack" -> lead(a, b) >= CLEARLY_STRONGER ? lead(a, b) : WORSE_THAN_TO_STOP;
            case "fortify" -> stepsToFront[b] < stepsToFront[a] ? troops[a] : WORSE_THAN_TO_STOP;
            default -> WORSE_THAN_TO_STOP;
        };
    }

    /** All that may go, but for a move into a territory that needs less than the one it leaves. */
    private Answer amount(Range range) {
        boolean stay = range.name().equals("occupy") && enemies(range.a()) > enemies(range.b());
        return stay ? range.first() : range.last();
    }

    /** For what it knows nothing of: stop if that is offered, else do anything rather than pass. */
    private Answer decline(Legal legal) {
        return legal.find("end").map(Range::first).orElseGet(() -> {
            List<Range> acts = legal.stream().filter(range -> !range.name().equals("pass")).toList();
            return acts.isEmpty() ? legal.get(0).first() : acts.get(game.random().nextInt(acts.size())).last();
        });
    }

    private boolean mine(int territory) {
        return game.commands(owner[territory]);
    }

    private int enemies(int territory) {
        return (int) neighbours.get(territory).stream().filter(near -> !mine(near)).count();
    }

    private int lead(int from, int to) {
        return troops[from] - troops[to];
    }

    private int bestLead(int from) {
        return neighbours.get(from).stream()
                .filter(near -> !mine(near))
                .mapToInt(near -> lead(from, near))
                .max()
                .orElse(Integer.MIN_VALUE);
    }

    /** Of each own territory, how many moves it is away from one that has an enemy beside it. */
    private int[] stepsToFront() {
        int[] steps = new int[owner.length];
        Arrays.fill(steps, Integer.MAX_VALUE);
        Queue<Integer> reached = new ArrayDeque<>();
        for (int territory = 0; territory < owner.length; territory++) {
            if (mine(territory) && enemies(territory) > 0) {
                steps[territory] = 0;
                reached.add(territory);
            }
        }
        while (!reached.isEmpty()) {
            int here = reached.remove();
            for (int near : neighbours.get(here)) {
                if (mine(near) && steps[near] == Integer.MAX_VALUE) {
                    steps[near] = steps[here] + 1;
                    reached.add(near);
                }
            }
        }
        return steps;
    }
}
