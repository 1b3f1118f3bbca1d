package arena.sdk;

import java.util.List;

/**
 * One kind of action or event.
 *
 * @param operands what a, b and c mean: {@code territory}, {@code card}, {@code seat}, ...; empty where unused
 * @param amount what the amount counts, such as {@code dice}; empty where unused
 */
public record Kind(String name, List<String> operands, String amount) {}
