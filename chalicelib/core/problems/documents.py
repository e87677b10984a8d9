"""Error codes of making a document: input, page, PDF, e-invoice."""

from typing import Final

from chalicelib.core.problems.problem import Problem

DOCUMENTS: Final = (
    Problem(
        "render_timeout",
        408,
        "Render took too long",
        "The document was not ready in time; the render ended and was not billed.",
        "Use `timeout_behavior: continue` or `mode: async`, and look for what makes the page slow.",
        owner="renders",
    ),
    Problem(
        "output_too_large",
        413,
        "Result is too large",
        "The finished file is larger than this delivery type, or any output, may be.",
        "Deliver by `url`, or make the document smaller: fewer pages, smaller images.",
        owner="renders",
    ),
    Problem(
        "template_syntax_error",
        422,
        "Template has a syntax error",
        "The template cannot be parsed; `line` and `column` show where.",
        "Correct the template at that place; the detail has Jinja2's form where the template is "
        "written in another language.",
        owner="renders",
    ),
    Problem(
        "template_runtime_error",
        422,
        "Template failed while running",
        "A value, filter or operation in the template did not work with this data; `line` and "
        "`column` show where.",
        "Check the data that the line uses, and guard values that can be absent.",
        owner="renders",
    ),
    Problem(
        "template_fuel_exhausted",
        422,
        "Template used up its budget",
        "The template did more work, or wrote more text, than one run is allowed; or its JSON "
        "Schema took too long to check the data.",
        "Look for loops over too much data and prepare large data before sending it; look for "
        "nested repetitions in the schema's patterns, and for references that multiply.",
        owner="renders",
    ),
    Problem(
        "data_schema_mismatch",
        422,
        "Data does not fit the schema",
        "The template has a schema and the data breaks it; `errors` points to the values.",
        "Send data that fits the schema, or publish a version with another schema.",
        owner="schemas",
    ),
    Problem(
        "url_not_allowed",
        422,
        "Address may not be fetched",
        "The address is private or internal, or has a scheme or port that is refused.",
        "Use a public https address on a usual port. On a machine of your own "
        "`PLATEN_EGRESS_ALLOW` admits an address, and `platen webhook forward` brings events to "
        "it.",
        owner="renders",
    ),
    Problem(
        "navigation_failed",
        422,
        "Page could not be loaded",
        "The page to print did not load.",
        "Open the address from outside your network, and check its certificate and status.",
        owner="renders",
    ),
    Problem(
        "wait_timeout",
        422,
        "Wait condition was not met",
        "What the request waits for did not happen within `wait.timeout_ms`.",
        "Check the selector or expression, or allow more time.",
        owner="renders",
    ),
    Problem(
        "asset_fetch_failed",
        422,
        "Remote file could not be fetched",
        "A file that the document needs could not be loaded and the asset policy is strict.",
        "Make the file reachable, embed it, or use the lenient policy.",
        owner="renders",
    ),
    Problem(
        "data_url_fetch_failed",
        422,
        "Data could not be fetched",
        "`data_url` did not answer with a JSON object in time.",
        "Check the address from outside your network, the size of its answer and its speed.",
        owner="renders",
    ),
    Problem(
        "page_limit_exceeded",
        422,
        "Too many pages",
        "The document has more pages than the plan or the request allows. Nothing was billed.",
        "Split the document, or raise `max_pages` as far as the plan goes.",
        owner="renders",
    ),
    Problem(
        "attachment_failed",
        422,
        "Attachment could not be loaded",
        "One of the files to attach to the PDF could not be loaded.",
        "Check its upload, address or content.",
        owner="renders",
    ),
    Problem(
        "invalid_pdf_source",
        422,
        "Source is not a PDF",
        "The file that was handed over cannot be read as a PDF.",
        "Check that the source is complete and really is a PDF.",
        owner="conformance",
    ),
    Problem(
        "pdf_password_required",
        422,
        "Source is encrypted",
        "The PDF needs a password, or the one sent is wrong.",
        "Send the right `password` with the source, or a PDF without one.",
        owner="conformance",
    ),
    Problem(
        "scene_invalid",
        422,
        "Canvas design cannot be drawn",
        "The design of the canvas template cannot be made into a picture, for instance because "
        "it is too large.",
        "Correct the design; no side may have more than 16384 pixels.",
        owner="canvas",
    ),
    Problem(
        "data_invalid",
        422,
        "Data does not fit the canvas",
        "The data is no object, or a property that the design requires is missing.",
        "Send an object with the required properties.",
        owner="canvas",
    ),
    Problem(
        "render_failed",
        422,
        "Document could not be made",
        "The render failed for a reason without a code of its own; the detail says which.",
        "Read the detail and the render's `logs`, change the document and try again.",
        owner="renders",
    ),
    Problem(
        "pdfua_validation_failed",
        422,
        "Not PDF/UA conformant",
        "The document did not pass the PDF/UA checks; `result` holds the findings.",
        "Correct title, headings, alternative texts, table headers, language as the findings say.",
        owner="conformance",
    ),
    Problem(
        "pdfa_conversion_failed",
        422,
        "Not PDF/A conformant",
        "The document cannot be made PDF/A, or the validator found it wanting; `result` holds "
        "the findings.",
        "Change what the findings name, or choose another PDF/A level.",
        owner="conformance",
    ),
    Problem(
        "einvoice_invalid",
        422,
        "Invoice breaks a rule",
        "The invoice does not satisfy a rule of its profile; `result` lists each finding with "
        "its place.",
        "Correct the named values and send the invoice again.",
        owner="conformance",
    ),
    Problem(
        "einvoice_validation_failed",
        422,
        "E-invoice did not pass validation",
        "The validator rejected the XML that was made from the invoice; `result` holds its "
        "findings.",
        "Correct the values that the findings name.",
        owner="conformance",
    ),
    Problem(
        "render_lost",
        None,
        "Render was lost",
        "The platform lost the render before it had a result. It was not billed.",
        "Send the request again with a new Idempotency-Key: the old one gets this error again.",
        retryable=True,
        owner="renders",
    ),
    Problem(
        "csv_row_invalid",
        None,
        "CSV row cannot be used",
        "A row of the CSV file is damaged or does not fit its header; only this item failed.",
        "Correct the row that `row` names and send it in a new batch.",
        owner="batches",
    ),
)
