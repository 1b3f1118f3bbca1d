package arena.sdk;

import arena.v1.Play.Act;
import arena.v1.RulesOuterClass;
import java.util.List;

/** What a bot gives back for a question: a {@link Choice} of a range, an {@link Action}, or a {@link Plan}. */
public sealed interface Answer {

    /** A legal range by its index in the question's list, with an amount from its lo to its hi. */
    record Choice(int range, int amount) implements Answer {}

    /** An action by its numbers; kind is an index into {@link Game#actions}, unused operands and amounts are 0. */
    record Action(int kind, int a, int b, int c, int n) implements Answer {}

    /**
     * Several actions. The first answers the question, each further one the next question of the seat without its
     * being asked. The rest is dropped at the first that is not legal, at any luck, and at any other seat's doing.
     */
    record Plan(List<Action> actions) implements Answer {
        public Plan {
            actions = List.copyOf(actions);
            if (actions.isEmpty()) {
                throw new IllegalArgumentException("a plan has at least one action");
            }
        }

        public Plan(Action... actions) {
            this(List.of(actions));
        }
    }

    /** The answer as the wire carries it. */
    default Act toAct(int decisionId) {
        Act.Builder act = Act.newBuilder().setDecisionId(decisionId);
        if (this instanceof Choice choice) {
            act.setRange(choice.range).setAmount(choice.amount);
        } else if (this instanceof Action action) {
            act.addActions(message(action));
        } else if (this instanceof Plan plan) {
            plan.actions.forEach(action -> act.addActions(message(action)));
        }
        return act.build();
    }

    private static RulesOuterClass.Action message(Action action) {
        return RulesOuterClass.Action.newBuilder()
                .setKind(action.kind)
                .setA(action.a)
                .setB(action.b)
                .setC(action.c)
                .setN(action.n)
                .build();
    }
}
