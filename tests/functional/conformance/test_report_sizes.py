"""Reports of maximum length fit the row of their render."""

from typing import Any

import pytest

from chalicelib.core import json
from chalicelib.engine.conformance.checks import RawFinding
from chalicelib.engine.report_section import MAX_SECTION_BYTES
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.validation_results import fake_validation

ROW_BYTES = 400 * 1024
# Four bytes each in UTF-8.
WIDE = "\U0001f9fe"
METADATA = {f"{number:02d}": WIDE * 500 for number in range(50)}
ATTACHMENT = {"content": "YQ==", "filename": "a", "description": WIDE * 1000}
TITLES = {"title": WIDE * 1000, "author": WIDE * 1000, "keywords": [WIDE * 200] * 100}


def full_report(severity: str, text: str) -> list[RawFinding]:
    """Return more findings than a report shows."""
    return [
        RawFinding(
            "verapdf", severity, f"ISO 14289-1:2014 7.1:{number}", text, f"{number}{text}", 1
        )
        for number in range(150)
    ]


@pytest.mark.parametrize(
    "text",
    [WIDE * 5000, "\\" * 500, "\x01" * 100, "/" + "x" * 150],
    ids=["wide", "escaped", "control", "usual"],
)
@pytest.mark.parametrize(
    ("metadata", "pdf", "errors", "logs"),
    [
        ({}, {}, 100, 0),
        (METADATA, {}, 100, 1),
        (METADATA, {"attachments": [ATTACHMENT] * 20, "metadata": TITLES}, 1, 1),
    ],
    ids=["alone", "with metadata", "with all else"],
)
def test_three_full_reports_fit_one_row(
    service: Service,
    text: str,
    metadata: dict[str, Any],
    pdf: dict[str, Any],
    errors: int,
    logs: int,
) -> None:
    fake_validation(service, *full_report("error", text), *full_report("warning", text))
    service.engine.logs = (WIDE * 500,) * 100 if logs else ()
    einvoice = {"profile": "EN16931", "invoice": invoice_json()}
    output = {"pdf": {"pdfa": "3a", "pdfua": True, **pdf}, "einvoice": einvoice}

    answer = service.render(output=output, metadata=metadata)

    assert (answer.status, answer.code) == (422, "einvoice_validation_failed")
    parts = answer.json["result"]["conformance"]
    assert parts.keys() == {"einvoice", "pdfa", "pdfua"}
    for part in parts.values():
        assert part["status"] == "failed"
        assert len(json.dumps(part).encode()) <= MAX_SECTION_BYTES
    render = service.call("GET", f"/v1/renders/{answer.json['render_id']}").json
    assert render["result"] == answer.json["result"]
    (row, *_) = (row for row in service.rows(render["id"]) if row["SK"] == "META")
    assert sum(len(name) + len(str(value).encode()) for name, value in row.items()) < ROW_BYTES
    assert len(parts["pdfa"]["errors"]) == errors
    assert len(render["logs"]) == logs
