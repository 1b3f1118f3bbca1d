import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import arena.sdk.Answer;
import arena.sdk.Range;
import arena.sdk.Recorded;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What __NAME__ answers to the questions of a recorded game. */
class MyBotTest {
    private static List<Recorded> recorded;

    @BeforeAll
    static void read() throws Exception {
        recorded = Recorded.questions(Path.of("recorded"), "classic");
    }

    @Test
    void everyAnswerIsLegal() {
        for (Recorded question : recorded) {
            Answer.Choice answer = answer(question);
            Range range = question.legal().get(answer.range());
            assertTrue(range.lo() <= answer.amount() && answer.amount() <= range.hi());
        }
    }

    @Test
    void itAttacksWhereItHasMoreTroops() {
        int attacks = 0;
        for (Recorded question : recorded) {
            int[] troops = question.view().values("troops");
            boolean chance = question.legal().stream()
                    .anyMatch(range -> range.name().equals("attack") && troops[range.a()] > troops[range.b()] + 1);
            if (chance) {
                assertEquals("attack", question.legal().get(answer(question).range()).name());
                attacks++;
            }
        }
        assertTrue(attacks > 0, "no recorded question offers such an attack");
    }

    private static Answer.Choice answer(Recorded question) {
        MyBot bot = new MyBot(question.game());
        return assertInstanceOf(Answer.Choice.class, bot.decide(question.view(), question.legal()));
    }
}
