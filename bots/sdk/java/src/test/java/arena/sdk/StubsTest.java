package arena.sdk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The committed stubs have every field of the .proto files; `generate.sh` writes them anew. */
class StubsTest {
    private static final Path PROTO = Path.of("..", "..", "..", "proto", "arena", "v1");
    private static final Pattern MESSAGE = Pattern.compile("^message (\\w+) \\{");
    private static final Pattern FIELD = Pattern.compile("^ +(?:repeated )?[\\w.<>, ]+ (\\w+) = (\\d+);");

    @ParameterizedTest
    @CsvSource({"play.proto, Play", "rules.proto, RulesOuterClass"})
    void everyFieldHasItsNumber(String file, String outer) throws IOException, ReflectiveOperationException {
        String message = "";
        List<String> checked = new ArrayList<>();
        for (String line : Files.readAllLines(PROTO.resolve(file))) {
            Matcher opened = MESSAGE.matcher(line);
            Matcher field = FIELD.matcher(line);
            if (opened.find()) {
                message = opened.group(1);
            } else if (line.equals("}")) {
                message = "";
            } else if (!message.isEmpty() && field.find()) {
                Class<?> stub = Class.forName("arena.v1." + outer + "$" + message);
                String constant = field.group(1).toUpperCase(Locale.ROOT) + "_FIELD_NUMBER";
                int number = stub.getField(constant).getInt(null);
                assertEquals(Integer.parseInt(field.group(2)), number, message + "." + constant);
                checked.add(constant);
            }
        }
        assertTrue(checked.size() > 40, checked::toString);
    }
}
