package platen;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Validates one document after another. A request is a line of JSON with `number`, `checks` and
 * `bytes`, followed by the document; the reply is a line of JSON with the same number. The program
 * ends at the end of its input, and with its parent process.
 */
public final class Main {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final Xml xml;
    private final Pdf pdf = new Pdf();

    private Main(Path folder) throws IOException {
        xml = new Xml(folder.resolve("rules"), JSON.readTree(folder.resolve("plan.json").toFile()));
    }

    public static void main(String[] arguments) throws IOException {
        ProcessHandle.current().parent().ifPresent(
                parent -> parent.onExit().thenRun(() -> Runtime.getRuntime().halt(1)));
        PrintStream replies = System.out;
        // The output of a library must not be taken for a reply.
        System.setOut(System.err);
        InputStream requests = new BufferedInputStream(System.in);
        Main program = new Main(Path.of(arguments[0]));
        reply(replies, Map.of("ready", true));
        for (String line = line(requests); line != null; line = line(requests)) {
            JsonNode request = JSON.readTree(line);
            byte[] document = requests.readNBytes(request.get("bytes").intValue());
            if (document.length != request.get("bytes").intValue()) {
                throw new EOFException("the document ends early");
            }
            reply(replies, Map.of("number", request.get("number"),
                    "verdicts", program.verdicts(request.get("checks"), document)));
        }
    }

    /** Findings by check, or the failure of a check that could not be done. */
    private Map<String, Object> verdicts(JsonNode checks, byte[] document) {
        Map<String, Object> verdicts = new LinkedHashMap<>();
        for (JsonNode check : checks) {
            verdicts.put(check.textValue(), verdict(check.textValue(), document));
        }
        return verdicts;
    }

    private Map<String, Object> verdict(String check, byte[] document) {
        try {
            Findings findings = new Findings();
            if (check.startsWith("pdf-")) {
                pdf.check(check.substring("pdf-".length()), document, findings);
            } else {
                xml.check(check, document, findings);
            }
            return Map.of("findings", findings.list(), "left_out", findings.leftOut());
        } catch (Exception | StackOverflowError | LinkageError failure) {
            // Without the message, which may quote the document.
            return Map.of("failure", failure.getClass().getName());
        }
    }

    private static String line(InputStream requests) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = requests.read(); next != '\n'; next = requests.read()) {
            if (next < 0) {
                return null;
            }
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    private static void reply(PrintStream replies, Object answer) throws IOException {
        replies.write((JSON.writeValueAsString(answer) + "\n").getBytes(StandardCharsets.UTF_8));
        replies.flush();
    }
}
