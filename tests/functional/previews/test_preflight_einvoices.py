"""Preflight of e-invoices whose data are remote, missing, or under unusual keys."""

from typing import Any

from tests.builders.http import ApiAnswer
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


def einvoice(service: Service, route: str = "/preflight", **fields: Any) -> ApiAnswer:
    key = fields.pop("key", service.live)
    body = {"invoice": invoice_json(), "profile": "EN16931"} | fields
    return service.call("POST", f"/v1/einvoices{route}", json_body=body, key=key)


def test_einvoice_is_checked_with_its_totals_and_cost(service: Service) -> None:
    report = einvoice(service)
    test = einvoice(service, key=service.test, profile="MINIMUM").json

    assert (report.status, report.json["ok"], report.json["warnings"]) == (200, True, [])
    assert report.json["cost"] == {"renders": 1, "remaining": 250_000}
    assert service.call("GET", "/v1/renders").json["data"] == []
    made = einvoice(service, "", profile="EN16931").json
    assert report.json["invoice"] == made["invoice"]
    made = einvoice(service, "", key=service.test, profile="MINIMUM").json
    assert (test["cost"]["renders"], test["invoice"]) == (0, made["invoice"])
    # The last one is of the validators, whom no preflight asks.
    assert test["warnings"] == made["warnings"][:1]
    assert [warning["code"] for warning in test["warnings"]] == ["feature_unavailable"]


def test_all_faults_of_an_einvoice_are_told_with_pointers(service: Service) -> None:
    broken = invoice_json(
        {"lines[0].vat": {"category": "E", "rate": 0}, "lines[1].vat": {"category": "G", "rate": 0}}
    )

    report = einvoice(service, invoice=broken).json
    refused = einvoice(service, "", invoice=broken)

    assert (report["ok"], report["invoice"]) == (False, None)
    assert {error["code"] for error in report["errors"]} == {refused.code} == {"einvoice_invalid"}
    paths = [error["path"] for error in report["errors"]]
    assert len(paths) > 1
    assert all(path.startswith("/invoice/") for path in paths)
    unreadable = einvoice(service, profile="X", nothing=1).json
    assert {error["path"] for error in unreadable["errors"]} == {"/profile", "/nothing"}
    assert unreadable["cost"]["renders"] == 1


def test_plan_without_einvoices_is_told(service: Service) -> None:
    service.workspace = service.create_workspace("starter")
    service.live = service.key("live", service.workspace)

    report = einvoice(service).json

    assert [(each["path"], each["code"]) for each in report["errors"]] == [
        ("/profile", "plan_feature_unavailable")
    ]
    assert einvoice(service, "").code == "plan_feature_unavailable"


def test_template_invoice_that_goes_into_no_file_has_totals(service: Service) -> None:
    path = make_template(service, options={"einvoice": SPEC}, publish=True)
    wanted = {"type": "template", "template_id": path.rpartition("/")[2]}
    fields = {"input": wanted, "output": {"format": "png"}}
    data = {"order": {"invoice": invoice_json()}}

    report = preflight(service, **fields, data=data)
    broken = preflight(service, **fields, data={})

    assert (report["invoice"]["grand_total"], report["warnings"]) == ("214.16", [])
    assert broken["invoice"] is None
    assert [each["code"] for each in broken["warnings"]] == ["invoice_totals_unavailable"]
