package arena.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.v1.Play.Act;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class AnswerTest {
    private static final Range ATTACK = new Range(4, 6, "attack", 1, 2, 0, 1, 3);

    @Test
    void aChoiceIsARangeWithAnAmount() {
        Act act = ATTACK.last().toAct(9);
        assertEquals(Act.newBuilder().setDecisionId(9).setRange(4).setAmount(3).build(), act);
        assertEquals(1, ATTACK.first().amount());
        assertEquals(2, ATTACK.choose(2).amount());
        assertThrows(IllegalArgumentException.class, () -> ATTACK.choose(4));
    }

    @Test
    void everyAmountOfARangeIsDrawn() {
        Random random = new Random(1);
        List<Integer> drawn = IntStream.range(0, 100)
                .map(i -> ATTACK.sample(random).amount())
                .distinct()
                .sorted()
                .boxed()
                .toList();
        assertEquals(List.of(1, 2, 3), drawn);
    }

    @Test
    void anActionSaysItsNumbers() {
        Act act = ATTACK.action(2).toAct(9);
        assertEquals(1, act.getActionsCount());
        assertEquals(List.of(6, 1, 2, 0, 2), numbers(act.getActions(0)));
    }

    @Test
    void aPlanIsSeveralActionsInTheirOrder() {
        Act act = new Answer.Plan(ATTACK.action(3), ATTACK.action(1)).toAct(9);
        assertEquals(List.of(3, 1), act.getActionsList().stream().map(a -> a.getN()).toList());
        assertThrows(IllegalArgumentException.class, () -> new Answer.Plan());
    }

    @Test
    void aKindIsFoundByItsName() {
        Legal legal = new Legal(new Range[] {ATTACK, new Range(1, 0, "end", 0, 0, 0, 0, 0)});
        assertEquals(1, legal.find("end").orElseThrow().index());
        assertTrue(legal.find("fortify").isEmpty());
    }

    private static List<Integer> numbers(arena.v1.RulesOuterClass.Action action) {
        return List.of(action.getKind(), action.getA(), action.getB(), action.getC(), action.getN());
    }
}
