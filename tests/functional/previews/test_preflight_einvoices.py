"""Preflight of e-invoices whose data are remote, missing, or under unusual keys."""

from typing import Any

from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.templates import make_template

SPEC: dict[str, Any] = {"profile": "BASIC", "invoice_path": "order.invoice"}


def preflight(service: Service, **fields: Any) -> dict[str, Any]:
    body = {"input": {"type": "html", "html": "x"}} | fields
    report: dict[str, Any] = service.call("POST", "/v1/renders/preflight", json_body=body).json
    return report


def test_preflight_reports_a_missing_invoice(service: Service) -> None:
    report = preflight(service, output={"einvoice": SPEC})

    assert [error["code"] for error in report["errors"]] == ["einvoice_invalid"]
    assert report["errors"][0]["path"] == "/data/order/invoice"
    elsewhere = "https://example.com/data.json"
    assert preflight(service, output={"einvoice": SPEC}, data_url=elsewhere)["ok"]


def test_preflight_pointer_handles_keys_with_brackets(service: Service) -> None:
    broken = invoice_json({"lines[1].vat": {"category": "E", "rate": 0}})
    spec = SPEC | {"invoice_path": "a[0].b"}

    report = preflight(service, output={"einvoice": spec}, data={"a[0]": {"b": broken}})

    paths = [error["path"] for error in report["errors"]]
    assert paths
    assert all(path.startswith("/data/a[0]/b/") for path in paths), paths


def test_preflight_checks_the_plan_without_the_data(service: Service) -> None:
    service.workspace = service.create_workspace("starter")
    service.live = service.key("live", service.workspace)
    path = make_template(service, options={"einvoice": SPEC}, publish=True)
    wanted = {"type": "template", "template_id": path.rpartition("/")[2]}

    report = preflight(service, input=wanted, data_url="https://example.com/data.json")

    assert [found["code"] for found in report["warnings"]] == ["einvoice_skipped_plan"]
