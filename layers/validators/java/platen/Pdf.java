package platen;

import java.io.ByteArrayInputStream;
import java.util.Locale;
import org.verapdf.core.EncryptedPdfException;
import org.verapdf.core.ModelParsingException;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;
import org.verapdf.pdfa.validation.profiles.RuleId;
import org.verapdf.processor.reports.enums.JobEndStatus;

/** Validation of PDF/A and PDF/UA by veraPDF. */
final class Pdf {
    private static final int MAX_FINDINGS_PER_RULE = 100;
    private static final String SOURCE = "verapdf";

    private boolean initialised;

    void check(String flavourId, byte[] document, Findings findings) throws Exception {
        if (!initialised) {
            VeraGreenfieldFoundryProvider.initialise();
            initialised = true;
        }
        PDFAFlavour flavour = PDFAFlavour.fromString(flavourId);
        if (flavour == PDFAFlavour.NO_FLAVOUR) {
            throw new IllegalArgumentException("veraPDF does not know " + flavourId);
        }
        try (PDFAParser parser = Foundries.defaultInstance()
                        .createParser(new ByteArrayInputStream(document), flavour);
                PDFAValidator validator = Foundries.defaultInstance()
                        .createValidator(flavour, MAX_FINDINGS_PER_RULE, false, true, false)) {
            collect(validator.validate(parser), flavour, findings);
        } catch (EncryptedPdfException encrypted) {
            findings.add(SOURCE, "error", "PDF", "The PDF is encrypted.", "");
        } catch (ModelParsingException unreadable) {
            findings.add(SOURCE, "error", "PDF", "The document cannot be read as a PDF.", "");
        }
    }

    private static void collect(ValidationResult result, PDFAFlavour flavour, Findings findings) {
        if (result.getJobEndStatus() != JobEndStatus.NORMAL
                || result.getPDFAFlavour() != flavour
                || result.getTotalAssertions() == 0) {
            throw new IllegalStateException("veraPDF ended with " + result.getJobEndStatus());
        }
        for (TestAssertion assertion : result.getTestAssertions()) {
            if (assertion.getStatus() == TestAssertion.Status.FAILED) {
                findings.add(SOURCE, "error", rule(assertion.getRuleId()), message(assertion),
                        assertion.getLocation().getContext());
            }
        }
        if (result.isCompliant() == findings.hasErrors()) {
            throw new IllegalStateException("veraPDF's verdict and its findings disagree");
        }
    }

    private static String rule(RuleId id) {
        return String.format(Locale.ROOT, "%s %s:%d",
                id.getSpecification().getId(), id.getClause(), id.getTestNumber());
    }

    private static String message(TestAssertion assertion) {
        String specific = assertion.getErrorMessage();
        return specific == null || specific.isBlank() ? assertion.getMessage() : specific;
    }
}
