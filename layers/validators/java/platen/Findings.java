package platen;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was found in one document; what says the same of the same place is counted. */
final class Findings {
    /** Far more than a report shows, far less than a hostile document could cause. */
    private static final int KEPT = 2_000;

    private record Key(String source, String severity, String rule, String location) {}

    private static final class Found {
        private final String message;
        private int count;

        private Found(String message) {
            this.message = message;
        }
    }

    private final Map<Key, Found> found = new LinkedHashMap<>();
    private int leftOut;
    private boolean errors;

    void add(String source, String severity, String rule, String message, String location) {
        errors |= severity.equals("error");
        Key key = new Key(source, severity, rule, location);
        if (found.size() >= KEPT && !found.containsKey(key)) {
            leftOut++;
            return;
        }
        found.computeIfAbsent(key, unused -> new Found(message)).count++;
    }

    boolean hasErrors() {
        return errors;
    }

    int leftOut() {
        return leftOut;
    }

    List<Map<String, Object>> list() {
        List<Map<String, Object>> rows = new ArrayList<>();
        found.forEach((key, value) -> rows.add(Map.of(
                "source", key.source(),
                "severity", key.severity(),
                "rule", key.rule(),
                "message", value.message,
                "location", key.location(),
                "count", value.count)));
        return rows;
    }
}
