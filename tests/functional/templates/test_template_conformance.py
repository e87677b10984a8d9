"""Templates with PDF/A or an e-invoice, in requests and in publishing."""

from typing import Any

import pytest

from chalicelib.engine.inputs.invoice import prepare_command
from chalicelib.engine.job import EngineJob, PageJob
from tests.builders.http import ApiAnswer
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.templates import make_template, post_template, render_template

SPEC: dict[str, Any] = {"profile": "BASIC", "invoice_path": "order.invoice"}
DATA = {"order": {"invoice": invoice_json()}}
BROKEN = {"order": {"invoice": invoice_json({"number": ""})}}


@pytest.mark.parametrize("pdfua", [True, "1"])
def test_template_pdfa_applies_to_pdf_and_can_be_turned_off(
    service: Service, pdfua: object
) -> None:
    path = make_template(service, options={"pdf": {"pdfa": "2b", "pdfua": pdfua}}, publish=True)
    body = {"template_id": path.rpartition("/")[2]}

    def shown(answer: ApiAnswer) -> tuple[Any, Any]:
        assert answer.status == 200, answer.json
        pdf = answer.json["output"]["pdf"]
        return pdf["pdfa"], pdf["pdfua"]

    image = service.call("POST", "/v1/images/from-template", json_body=body | {"format": "png"})
    assert shown(image) == (None, False)
    assert shown(service.call("POST", "/v1/pdf/from-template", json_body=body)) == ("2b", True)
    off = service.call("POST", "/v1/pdf/from-template", json_body=body | {"pdf": {"pdfa": None}})
    assert shown(off) == (None, True)


@pytest.mark.parametrize(
    ("pdf", "field"),
    [({"pdfa": "2b"}, "pdfa"), ({"protection": {"user_password": "x"}}, "protection")],
)
def test_pdf_that_conflicts_with_the_template_invoice_names_both_options(
    service: Service, pdf: dict[str, Any], field: str
) -> None:
    path = make_template(service, options={"einvoice": SPEC}, publish=True)

    refused = render_template(service, path, output={"pdf": pdf}, data=DATA)

    assert (refused.status, refused.code) == (400, "validation_error")
    assert refused.pointers == [f"/output/pdf/{field}"]
    message = refused.json["errors"][0]["message"]
    assert field in message
    assert "the template's einvoice" in message
    assert "output.einvoice null" in message
    off = render_template(service, path, output={"pdf": pdf, "einvoice": None}, data=DATA)
    assert off.status == 200, off.json
    carried = render_template(service, path, output={"pdf": {"pdfa": "3u"}}, data=DATA)
    assert carried.status == 200, carried.json


def _carry(job: EngineJob) -> None:
    """Prepare the e-invoice of a file, as the engine does first."""
    if isinstance(job, PageJob) and job.einvoice is not None and job.einvoice.is_written:
        prepare_command(job.einvoice, job.data or {})


@pytest.mark.parametrize(
    ("plan", "options", "published"),
    [
        ("growth", {}, False),
        ("growth", {"output_format": "png"}, True),
        ("starter", {}, True),
    ],
)
def test_dataset_with_an_invalid_invoice_blocks_publishing(
    service: Service, plan: str, options: dict[str, Any], *, published: bool
) -> None:
    service.workspace = service.create_workspace(plan)
    service.live = service.key("live", service.workspace)
    service.engine.before_run = _carry
    options = options | {"einvoice": SPEC}

    good = post_template(
        service, options=options, datasets=[{"name": "Good", "data": DATA}], publish=True
    )
    assert good.status == 201, good.json
    answer = post_template(
        service, options=options, datasets=[{"name": "Bad", "data": BROKEN}], publish=True
    )

    if published:
        assert answer.status == 201, answer.json
        return
    assert (answer.status, answer.code) == (422, "einvoice_invalid")
    assert '"Bad"' in answer.json["detail"]
    assert answer.json["result"]["conformance"]["einvoice"]["errors"]
