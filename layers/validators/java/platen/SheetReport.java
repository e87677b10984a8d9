package platen;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.xml.sax.Attributes;
import org.xml.sax.helpers.DefaultHandler;

/** Streaming reader of a rule sheet's report (SVRL), so that a long report needs no memory. */
final class SheetReport extends DefaultHandler {
    private static final Pattern NAMED =
            Pattern.compile("^\\[([A-Za-z0-9-]+)\\]\\s*[-:]?\\s*", Pattern.UNICODE_CHARACTER_CLASS);
    /** Factur-X sheets give no id to elements that the profile does not use. */
    private static final String UNNAMED = "FX-NOT-USED";
    private static final String NOT_USED = "marked as not used";

    private final String source;
    private final JsonNode levels;
    private final Findings findings;
    private final StringBuilder text = new StringBuilder();
    private String id;
    private String flag;
    private String location;
    private boolean inText;
    private boolean fired;

    SheetReport(String source, JsonNode levels, Findings findings) {
        this.source = source;
        this.levels = levels;
        this.findings = findings;
    }

    /** Tell whether any rule fired: a report without one is no verdict. */
    boolean complete() {
        return fired;
    }

    @Override
    public void startElement(String uri, String name, String qualified, Attributes attributes) {
        switch (name) {
            case "fired-rule" -> fired = true;
            case "failed-assert", "successful-report" -> {
                id = attributes.getValue("id");
                flag = attributes.getValue("flag");
                if (flag == null) {
                    flag = attributes.getValue("role");
                }
                location = attributes.getValue("location");
                text.setLength(0);
            }
            case "text" -> inText = location != null;
            default -> { }
        }
    }

    @Override
    public void characters(char[] characters, int start, int length) {
        if (inText) {
            text.append(characters, start, length);
        }
    }

    @Override
    public void endElement(String uri, String name, String qualified) {
        switch (name) {
            case "text" -> inText = false;
            case "failed-assert", "successful-report" -> {
                report();
                location = null;
            }
            default -> { }
        }
    }

    private void report() {
        String message = text.toString().strip().replaceAll("\\s+", " ");
        Matcher named = NAMED.matcher(message);
        String rule = id == null || id.isBlank() ? UNNAMED : id;
        if (named.find()) {
            rule = named.group(1);
            message = message.substring(named.end());
        }
        String severity = levels.path(rule).asText(severity(message));
        if (!severity.equals("information")) {
            findings.add(source, severity, rule, message, Names.path(location));
        }
    }

    private String severity(String message) {
        if (flag == null) {
            // Content that a profile does not use makes no invoice invalid.
            return message.contains(NOT_USED) ? "warning" : "error";
        }
        return switch (flag) {
            case "warning", "warn" -> "warning";
            case "information", "info" -> "information";
            default -> "error";
        };
    }
}
