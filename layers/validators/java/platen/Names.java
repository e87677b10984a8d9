package platen;

import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/** Names and paths with the prefixes that the standards use. */
final class Names {
    private static final String CII = "urn:un:unece:uncefact:data:standard:";
    private static final String UBL = "urn:oasis:names:specification:ubl:schema:xsd:";
    private static final Map<String, String> PREFIXES = Map.of(
            CII + "CrossIndustryInvoice:100", "rsm:",
            CII + "ReusableAggregateBusinessInformationEntity:100", "ram:",
            CII + "QualifiedDataType:100", "qdt:",
            CII + "UnqualifiedDataType:100", "udt:",
            UBL + "Invoice-2", "ubl:",
            UBL + "CreditNote-2", "cn:",
            UBL + "CommonAggregateComponents-2", "cac:",
            UBL + "CommonBasicComponents-2", "cbc:",
            UBL + "CommonExtensionComponents-2", "ext:");
    /** A step by SchXslt (`Q{urn:x}Name`) or the ISO skeleton (`*:Name[namespace-uri()='…']`). */
    private static final Pattern STEP = Pattern.compile(
            "Q\\{([^}]*)\\}([^/\\[]+)|\\*:([^/\\[]+)\\[namespace-uri\\(\\)='([^']*)'\\]");

    private Names() {}

    static String prefixed(String namespace, String name) {
        return PREFIXES.getOrDefault(namespace, "") + name;
    }

    static String path(String location) {
        return STEP.matcher(location).replaceAll(Names::step);
    }

    private static String step(MatchResult step) {
        return step.group(2) != null
                ? prefixed(step.group(1), step.group(2))
                : prefixed(step.group(4), step.group(3));
    }
}
