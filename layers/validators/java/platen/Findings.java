package platen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was found in one document; what says the same of the same place is counted. */
final class Findings {
    /** Of each severity: far more than a report shows, far less than one could cause. */
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
    private final Map<String, Integer> told = new HashMap<>();
    private int leftOut;

    void add(String source, String severity, String rule, String message, String location) {
        Key key = new Key(source, severity, rule, location);
        if (!found.containsKey(key) && told.merge(severity, 1, Integer::sum) > KEPT) {
            leftOut++;
            return;
        }
        found.computeIfAbsent(key, unused -> new Found(message)).count++;
    }

    boolean hasErrors() {
        return told.containsKey("error");
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
