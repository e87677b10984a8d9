"""`output.einvoice` of requests and templates on its way to the engine."""

from typing import Any

import pytest

from chalicelib.engine.job import EInvoiceCommand
from tests.builders.http import ApiAnswer
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.templates import make_template, render_template

SPEC: dict[str, Any] = {"profile": "BASIC", "invoice_path": "order.invoice"}
DATA = {"order": {"invoice": invoice_json()}}


def render_command_of(service: Service) -> EInvoiceCommand | None:
    return service.engine.jobs[-1].einvoice


def test_engine_gets_the_invoice_and_its_pointer(service: Service) -> None:
    spec = {"profile": "EN16931", "invoice": invoice_json()}
    answer = service.render(output={"einvoice": spec, "formats": ["pdf", "png"]})

    assert answer.status == 200, answer.json
    order = render_command_of(service)
    assert order is not None
    assert (order.profile, order.syntax, order.findings_root) == (
        "EN16931",
        "cii",
        "output.einvoice.invoice",
    )
    assert order.is_written
    assert order.invoice is not None
    assert "'price': {'net': '19.99'}" in str(order.invoice["lines"])
    shown = {"profile": "EN16931", "invoice_path": None, "syntax": "cii"}
    assert answer.json["output"]["einvoice"] == shown

    service.render(output={"einvoice": SPEC}, data=DATA)
    order = render_command_of(service)
    assert order is not None
    assert (order.data_path, order.findings_root) == ("order.invoice", "data.order.invoice")


@pytest.mark.parametrize(
    ("requested", "profile", "written"),
    [
        ({}, "BASIC", True),
        ({"einvoice": {"profile": "EN16931", "invoice_path": "x"}}, "EN16931", True),
        ({"einvoice": None}, None, None),
        ({"format": "png"}, "BASIC", False),
        ({"format": "xml"}, "BASIC", True),
        ({"format": "xml", "pdf": {"pdfa": None}}, "BASIC", True),
    ],
)
def test_request_einvoice_overrides_the_template(
    service: Service, requested: dict[str, Any], profile: str | None, *, written: bool | None
) -> None:
    path = make_template(service, options={"einvoice": SPEC}, publish=True)

    assert render_template(service, path, output=requested, data=DATA).status == 200

    order = render_command_of(service)
    found = (order.profile, order.is_written) if order else (None, None)
    assert found == (profile, written)


def test_plan_without_einvoices_skips_the_templates_and_refuses_the_requests(
    service: Service,
) -> None:
    service.workspace = service.create_workspace("starter")
    service.live = service.key("test", service.workspace)
    path = make_template(service, options={"einvoice": SPEC}, publish=True)

    assert render_template(service, path, data=DATA).status == 200
    order = render_command_of(service)
    assert order is not None
    assert (order.is_written, order.is_skipped_by_plan) == (False, True)

    def refused(answer: ApiAnswer) -> str:
        assert (answer.status, answer.code) == (402, "plan_feature_unavailable")
        return str(answer.json["detail"]).partition(":")[0]

    refused_render = render_template(service, path, output={"einvoice": SPEC}, data=DATA)
    assert refused(refused_render) == "/output/einvoice"
    xml = render_template(service, path, output={"formats": ["pdf", "xml"]}, data=DATA)
    assert refused(xml) == "/output/formats"
    alone = render_template(service, path, output={"format": "xml"}, data=DATA)
    assert refused(alone) == "/output/format"


@pytest.mark.parametrize(
    ("output", "pointer", "word"),
    [
        ({"formats": ["pdf", "xml"]}, "/output/formats", "einvoice"),
        ({"format": "xml"}, "/output/format", "einvoice"),
        ({"format": "png", "einvoice": SPEC}, "/output", "pdf or xml among the formats"),
        ({"einvoice": SPEC, "pdf": {"pdfa": "2b"}}, "/output", "3b, 3u or 3a"),
        (
            {"einvoice": SPEC, "pdf": {"protection": {"user_password": "x"}}},
            "/output",
            "protection",
        ),
        ({"einvoice": {"profile": "BASIC"}}, "/output/einvoice", "invoice_path"),
        ({"einvoice": SPEC | {"syntax": "ubl"}}, "/output/einvoice/syntax", "cii"),
        ({"einvoice": SPEC | {"invoice_path": "a..b"}}, "/output/einvoice/invoice_path", ""),
    ],
)
def test_conflicting_fields_are_named(
    service: Service, output: dict[str, Any], pointer: str, word: str
) -> None:
    answer = service.render(output=output, data=DATA)

    assert (answer.status, answer.code) == (400, "validation_error")
    (error,) = answer.json["errors"]
    assert error["path"] == pointer
    assert word in error["message"]


def test_template_whose_pdf_conflicts_with_its_invoice_is_refused(service: Service) -> None:
    options = {"einvoice": SPEC, "pdf": {"protection": {"user_password": "x"}}}
    body = {"name": "T", "html": "x", "options": options}
    answer = service.call("POST", "/v1/templates", json_body=body)

    assert (answer.status, answer.code) == (400, "validation_error")
    assert [error["path"] for error in answer.json["errors"]] == ["/options"]


def test_preflight_reports_broken_rules(service: Service) -> None:
    broken = invoice_json({"lines[1].vat": {"category": "E", "rate": 0}})
    body = {
        "input": {"type": "html", "html": "x"},
        "output": {"einvoice": SPEC},
        "data": {"order": {"invoice": broken}},
    }

    report = service.call("POST", "/v1/renders/preflight", json_body=body).json

    assert {error["code"] for error in report["errors"]} == {"einvoice_invalid"}
    assert report["errors"][0]["path"].startswith("/data/order/invoice")
    fine = service.call("POST", "/v1/renders/preflight", json_body=body | {"data": DATA}).json
    made = service.call("POST", "/v1/renders", json_body=body | {"data": DATA}).json
    assert (fine["ok"], fine["errors"], fine["warnings"]) == (True, [], [])
    assert report["invoice"] is None
    assert fine["invoice"]["grand_total"] == "214.16"
    assert made["status"] == "succeeded"


def test_preflight_warns_of_an_unused_template_invoice(service: Service) -> None:
    path = make_template(service, options={"einvoice": SPEC}, publish=True)
    wanted = {"type": "template", "template_id": path.rpartition("/")[2]}
    body = {"input": wanted, "output": {"format": "png"}, "data": {"order": {}}}

    report = service.call("POST", "/v1/renders/preflight", json_body=body).json

    assert report["ok"]
    assert [found["code"] for found in report["warnings"]] == ["invoice_totals_unavailable"]
