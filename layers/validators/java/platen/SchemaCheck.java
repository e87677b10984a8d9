package platen;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import javax.xml.validation.Schema;
import javax.xml.validation.ValidatorHandler;
import org.xml.sax.Attributes;
import org.xml.sax.ErrorHandler;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;
import org.xml.sax.SAXParseException;
import org.xml.sax.XMLReader;
import org.xml.sax.helpers.XMLFilterImpl;

/** Validation of a document against its schema, with the path of each faulty element. */
final class SchemaCheck extends XMLFilterImpl implements ErrorHandler {
    /** One open element: its path, and how many children of each name it has had. */
    private record Open(String path, Map<String, Integer> children) {}

    private final Deque<Open> open = new ArrayDeque<>();
    private final Findings findings;

    private SchemaCheck(XMLReader reader, Findings findings) {
        super(reader);
        this.findings = findings;
        open.push(new Open("", new HashMap<>()));
    }

    static void run(XMLReader reader, InputSource document, Schema schema, Findings findings)
            throws SAXException, IOException {
        SchemaCheck check = new SchemaCheck(reader, findings);
        ValidatorHandler validator = schema.newValidatorHandler();
        validator.setErrorHandler(check);
        check.setContentHandler(validator);
        check.parse(document);
    }

    @Override
    public void startElement(String uri, String name, String qualified, Attributes attributes)
            throws SAXException {
        String step = Names.prefixed(uri, name);
        int position = open.peek().children().merge(step, 1, Integer::sum);
        open.push(new Open(open.peek().path() + "/" + step + "[" + position + "]",
                new HashMap<>()));
        super.startElement(uri, name, qualified, attributes);
    }

    @Override
    public void endElement(String uri, String name, String qualified) throws SAXException {
        super.endElement(uri, name, qualified);
        open.pop();
    }

    @Override
    public void warning(SAXParseException problem) {
        // Warnings are about the schema, not about the document.
    }

    @Override
    public void error(SAXParseException problem) {
        // "cvc-complex-type.2.4.a: Invalid content was found …"
        String text = problem.getMessage();
        int colon = text.indexOf(": ");
        boolean hasRuleId = text.startsWith("cvc-") && colon > 0;
        findings.add("schema", "error", hasRuleId ? text.substring(0, colon) : "XSD",
                hasRuleId ? text.substring(colon + 2) : text, open.peek().path());
    }

    @Override
    public void fatalError(SAXParseException problem) throws SAXException {
        throw problem;
    }
}
