package arena.sdk;

import arena.v1.Play.GameEnd;
import java.util.List;

/**
 * How a game ended.
 *
 * @param termination why: {@code rules}, {@code turn_cap}, ...; empty when it was broken off and does not count
 * @param winners seats that won
 * @param scores score of each seat, from 0 to 1
 * @param laps laps played
 * @param faults what this seat did wrong, one sentence each
 */
public record Result(String termination, List<Integer> winners, List<Double> scores, int laps, List<String> faults) {

    static Result of(GameEnd end) {
        List<String> faults = end.getFaultsList().stream()
                .map(fault -> fault.getKind() + ": " + fault.getMessage())
                .toList();
        return new Result(
                end.getTermination(),
                List.copyOf(end.getWinnersList()),
                List.copyOf(end.getScoresList()),
                end.getLaps(),
                faults);
    }
}
