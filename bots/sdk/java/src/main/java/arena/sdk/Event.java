package arena.sdk;

import java.util.List;

/**
 * Something that happened.
 *
 * @param kind index into {@link Game#events}
 * @param name the kind's name, such as {@code captured}
 * @param a first operand; 255 stands for nobody, or nothing that may be seen; so for b and c
 * @param seat the seat it is about; -1 for none
 * @param dice dice rolled, if any
 */
public record Event(int kind, String name, int a, int b, int c, int n, int seat, List<Integer> dice) {}
