package platen;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import javax.xml.XMLConstants;
import javax.xml.parsers.ParserConfigurationException;
import javax.xml.parsers.SAXParserFactory;
import javax.xml.transform.sax.SAXSource;
import javax.xml.transform.stream.StreamSource;
import javax.xml.validation.Schema;
import javax.xml.validation.SchemaFactory;
import net.sf.saxon.lib.Feature;
import net.sf.saxon.s9api.Processor;
import net.sf.saxon.s9api.SAXDestination;
import net.sf.saxon.s9api.SaxonApiException;
import net.sf.saxon.s9api.XdmNode;
import net.sf.saxon.s9api.XsltExecutable;
import net.sf.saxon.s9api.XsltTransformer;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.XMLReader;

/** Validation of invoices by the schema and the rule sheets that the plan names for their kind. */
final class Xml {
    private static final String FEATURES = "http://apache.org/xml/features/";
    private static final String ENTITIES = "http://xml.org/sax/features/";
    private static final String MAX_DEPTH =
            "http://www.oracle.com/xml/jaxp/properties/maxElementDepth";
    private static final int DEPTH = 100;

    private final Path rules;
    private final JsonNode plan;
    private final Processor processor = new Processor(false);
    private final Map<String, Schema> schemas = new HashMap<>();
    private final Map<String, XsltExecutable> sheets = new HashMap<>();

    Xml(Path rules, JsonNode plan) {
        this.rules = rules;
        this.plan = plan;
        processor.setConfigurationProperty(Feature.ALLOWED_PROTOCOLS, "file");
    }

    void check(String kind, byte[] document, Findings findings) throws Exception {
        JsonNode steps = plan.path("kinds").path(kind);
        if (steps.isMissingNode()) {
            throw new IllegalArgumentException("the plan does not know " + kind);
        }
        try {
            boolean isOther = false;
            // EN 16931 in CII has two schemas: that of D16B, and the one of Factur-X.
            if (steps.has("other_schema")) {
                Findings others = new Findings();
                SchemaCheck.run(reader(), source(document),
                        schema(steps.get("other_schema").textValue()), others);
                isOther = !others.hasErrors();
            }
            if (!isOther) {
                SchemaCheck.run(reader(), source(document),
                        schema(steps.get("schema").textValue()), findings);
            }
        } catch (SAXParseException malformed) {
            findings.add("schema", "error", "XML", malformed.getMessage(), "");
            return;
        }
        boolean isValid = !findings.hasErrors();
        XdmNode tree = processor.newDocumentBuilder()
                .build(new SAXSource(reader(), source(document)));
        for (JsonNode sheet : steps.get("sheets")) {
            try {
                run(sheet, steps.get("levels"), tree, findings);
            } catch (SaxonApiException failure) {
                // Sheets expect a document that is valid by the schema; any other may stop them.
                if (isValid) {
                    throw failure;
                }
            }
        }
    }

    private void run(JsonNode sheet, JsonNode levels, XdmNode tree, Findings findings)
            throws SaxonApiException {
        XsltTransformer transformer = sheet(sheet.get("file").textValue()).load();
        String source = sheet.get("source").textValue();
        SheetReport report = new SheetReport(source, levels, findings);
        transformer.setInitialContextNode(tree);
        transformer.setDestination(new SAXDestination(report));
        transformer.setMessageHandler(_ -> { });
        transformer.transform();
        if (!report.complete()) {
            throw new SaxonApiException("the sheet " + source + " gave no report");
        }
    }

    private Schema schema(String file) throws SAXException {
        Schema schema = schemas.get(file);
        if (schema == null) {
            SchemaFactory factory = SchemaFactory.newDefaultInstance();
            factory.setProperty(XMLConstants.ACCESS_EXTERNAL_SCHEMA, "file");
            factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            schema = factory.newSchema(rules.resolve(file).toFile());
            schemas.put(file, schema);
        }
        return schema;
    }

    private XsltExecutable sheet(String file) throws SaxonApiException {
        XsltExecutable sheet = sheets.get(file);
        if (sheet == null) {
            // From a file, so that the sheet finds its code lists in the same folder.
            sheet = processor.newXsltCompiler()
                    .compile(new StreamSource(rules.resolve(file).toFile()));
            sheets.put(file, sheet);
        }
        return sheet;
    }

    private static InputSource source(byte[] document) {
        return new InputSource(new ByteArrayInputStream(document));
    }

    /** Return a reader that loads no external entity and refuses a document type. */
    private static XMLReader reader() throws ParserConfigurationException, SAXException {
        SAXParserFactory factory = SAXParserFactory.newDefaultInstance();
        factory.setNamespaceAware(true);
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        factory.setFeature(FEATURES + "disallow-doctype-decl", true);
        factory.setFeature(FEATURES + "nonvalidating/load-external-dtd", false);
        factory.setFeature(ENTITIES + "external-general-entities", false);
        factory.setFeature(ENTITIES + "external-parameter-entities", false);
        XMLReader reader = factory.newSAXParser().getXMLReader();
        reader.setProperty(MAX_DEPTH, DEPTH);
        return reader;
    }
}
