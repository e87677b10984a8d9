"""Preflights and renders of the same requests: what refuses one is an error of the other."""

from typing import Any, Final

import pytest

from chalicelib.core.ids import lowest_id
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.service import Service
from tests.builders.templates import make_template

HTML: Final = {"type": "html", "html": "<p>x</p>"}
GONE: Final = lowest_id("tpl", 1_700_000_000_000)
INVOICE: Final = {"profile": "EN16931", "invoice": invoice_json()}
BROKEN: Final = {
    "profile": "EN16931",
    "invoice": invoice_json({"lines[1].vat": {"category": "E", "rate": 0}}),
}
# Members of a request beside `input`, all of which the service refuses or all of which it takes.
REQUESTS: Final[dict[str, dict[str, Any]]] = {
    "html": {},
    "data": {"data": {"a": 1}},
    "pictures": {"output": {"format": "png", "image": {"width": 100, "height": 50}}},
    "several formats": {"output": {"formats": ["pdf", "png"]}},
    "header": {"output": {"pdf": {"header": {"enabled": True, "left": "x"}}}},
    "e-invoice": {"output": {"einvoice": INVOICE}},
    "xml beside it": {"output": {"einvoice": INVOICE, "formats": ["pdf", "xml"]}},
    "webhook": {"webhook": {"url": "https://example.com/hook"}},
    "async": {"mode": "async"},
    "reference": {"reference": "a", "metadata": {"b": "c"}},
    "template": {"input": {"type": "template", "template_id": "OWN"}, "data": {"n": 1}},
    "unknown property": {"unknown": 1},
    "unknown option": {"output": {"pdf": {"pageSize": "A4"}}},
    "several faults": {"output": {"format": "gif", "pdf": {"margin": 3}}, "mode": 1},
    "binary and async": {"mode": "async", "delivery": {"type": "binary"}},
    "zero retention by url": {"delivery": {"type": "url", "retention": "none"}},
    "old engine": {"engine": "1999.1"},
    "version of no template": {"version": 3},
    "test of a live key": {"test": True},
    "draft": {"input": {"type": "template", "template_id": "OWN"}, "version": "draft"},
    "template that is gone": {"input": {"type": "template", "template_id": GONE}},
    "version that is not there": {
        "input": {"type": "template", "template_id": "OWN"},
        "version": 9,
        "data": {"n": 1},
    },
    "data beside the schema": {
        "input": {"type": "template", "template_id": "OWN"},
        "data": {"n": "x"},
    },
    "no data beside the schema": {"input": {"type": "template", "template_id": "OWN"}},
    "xml without an e-invoice": {"output": {"format": "xml"}},
    "upload that is gone": {"input": {"type": "html", "upload_id": "upl_x"}},
    "asset that is gone": {"input": {**HTML, "assets": [{"path": "a.png", "upload_id": "upl_x"}]}},
    "attachment that is gone": {
        "output": {"pdf": {"attachments": [{"filename": "a.xml", "upload_id": "upl_x"}]}}
    },
    "include that is gone": {
        "input": {"type": "html", "html": f"{{% include '{GONE}' %}}", "templating": True}
    },
    "private webhook": {"webhook": {"url": "https://127.0.0.1/"}},
    "webhook of this service": {"webhook": {"url": "https://api.test/v1/account"}},
    "unknown destination": {
        "delivery": {"storage": [{"destination_id": "dst_01HZZZZZZZZZZZZZZZZZZZZZZZ"}]}
    },
    "unknown rule": {
        "input": {"type": "template", "template_id": "OWN"},
        "data": {"n": 1},
        "delivery": {"email": [{"rule_id": "emr_01HZZZZZZZZZZZZZZZZZZZZZZZ"}]},
    },
    "protection and PDF/A": {
        "output": {"einvoice": INVOICE, "pdf": {"protection": {"user_password": "x"}}}
    },
    "secret webhook": {"webhook": {"url": "https://user:word@example.com/"}},
}


def findings(problem: dict[str, Any]) -> set[tuple[str, str]]:
    """Return paths and codes of a refusal; without entries its code, at any path."""
    return {(each["path"], each["code"]) for each in problem.get("errors") or ()} or {
        ("*", problem["code"])
    }


def own_template(service: Service) -> str:
    schema = {"required": ["n"], "properties": {"n": {"type": "integer"}}}
    path = make_template(service, html="<p>{{ n }}</p>", schema=schema, publish=True)
    return path.rpartition("/")[2]


def is_covered(finding: tuple[str, str], report: dict[str, Any]) -> bool:
    path, code = finding
    return any(path in {"*", error["path"]} and error["code"] == code for error in report["errors"])


@pytest.mark.parametrize("name", REQUESTS)
def test_what_refuses_a_render_is_an_error_of_its_preflight(service: Service, name: str) -> None:
    body: dict[str, Any] = {"input": HTML} | REQUESTS[name]
    if body["input"].get("template_id") == "OWN":
        body["input"] = body["input"] | {"template_id": own_template(service)}

    report = service.call("POST", "/v1/renders/preflight", json_body=body).json
    made = service.call("POST", "/v1/renders", json_body=body)

    assert report["ok"] == (made.status in {200, 202}), (report["errors"], made.json)
    if report["ok"]:
        assert report["errors"] == []
        return
    refused = findings(made.json)
    assert all(is_covered(finding, report) for finding in refused), (report, made.json)
    # A broken body has all its faults at once in both; else the render ends at its first one.
    if made.code == "validation_error" and made.status == 400 and len(refused) > 1:
        assert {(error["path"], error["code"]) for error in report["errors"]} == refused


@pytest.mark.parametrize(
    "fields", [{}, BROKEN, {"profile": "X"}, {"syntax": "ubl", "profile": "MINIMUM"}, {"a": 1}]
)
def test_einvoice_is_refused_by_both(service: Service, fields: dict[str, Any]) -> None:
    body = INVOICE | fields

    report = service.call("POST", "/v1/einvoices/preflight", json_body=body).json
    made = service.call("POST", "/v1/einvoices", json_body=body)

    assert report["ok"] == (made.status == 200), (report, made.json)
    assert report["invoice"] == made.json.get("invoice")
    if report["ok"]:
        return
    if made.code == "einvoice_invalid":
        told = made.json["result"]["conformance"]["einvoice"]["errors"]
        assert [each["message"] for each in told] == [each["message"] for each in report["errors"]]
    else:
        assert all(is_covered(finding, report) for finding in findings(made.json))
