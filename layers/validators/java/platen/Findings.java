package platen;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Findings of one document; equal findings at the same location are counted. */
final class Findings {
    /** Limit for each severity: more than a report shows, and a bound on memory. */
    private static final int MAX_FINDINGS = 2_000;

    private record Key(String source, String severity, String rule, String location) {}

    private static final class Finding {
        private final String message;
        private int count;

        private Finding(String message) {
            this.message = message;
        }
    }

    private final Map<Key, Finding> findings = new LinkedHashMap<>();
    private final Map<String, Integer> countBySeverity = new HashMap<>();
    private int leftOut;

    void add(String source, String severity, String rule, String message, String location) {
        Key key = new Key(source, severity, rule, location);
        if (!findings.containsKey(key)
                && countBySeverity.merge(severity, 1, Integer::sum) > MAX_FINDINGS) {
            leftOut++;
            return;
        }
        findings.computeIfAbsent(key, _ -> new Finding(message)).count++;
    }

    boolean hasErrors() {
        return countBySeverity.containsKey("error");
    }

    int leftOut() {
        return leftOut;
    }

    List<Map<String, Object>> list() {
        List<Map<String, Object>> rows = new ArrayList<>();
        findings.forEach((key, value) -> rows.add(Map.of(
                "source", key.source(),
                "severity", key.severity(),
                "rule", key.rule(),
                "message", value.message,
                "location", key.location(),
                "count", value.count)));
        return rows;
    }
}
