"""E-invoices over real HTTP with the real validators: the page, the XML and the report."""

import contextlib
import io
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import pikepdf
import psutil
import pytest
from lxml import etree

from infra.local.running_stack import RunningStack
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

# The first validation waits for the start of Java, up to a minute on two busy processors.
TIMEOUT_S = 120
PAGE = """<!doctype html><html lang="de"><title>Rechnung {{ invoice.number }}</title>
<h1>Rechnung {{ invoice.number }}</h1><p>Summe {{ invoice.grand_total|money(invoice.currency) }}"""
TOTAL = "214.16"


def made(client: ApiClient, route: str, **body: Any) -> dict[str, Any]:
    """Return the final render of an async request, which has time for a cold start."""
    answer = client.http.post(route, json=body | {"mode": "async"})
    assert answer.status_code == 202, answer.text
    return client.wait_until_final(answer.json()["id"], TIMEOUT_S)


def content(render: dict[str, Any], number: int = 0) -> bytes:
    return httpx.get(render["files"][number]["url"], follow_redirects=True).content


def verdicts(render: dict[str, Any]) -> dict[str, str]:
    report = render["result"]["conformance"]
    return {subject: part["status"] for subject, part in report.items()}


def test_hybrid_has_page_and_xml_of_one_invoice(live: ApiClient) -> None:
    options = {"einvoice": {"profile": "EN16931", "invoice_path": "bill"}, "pdf": {"pdfua": True}}
    template = {"name": "Bill", "html": PAGE, "options": options, "publish": True}
    template_id = live.http.post("/templates", json=template).json()["id"]

    render = made(
        live,
        "/renders",
        input={"type": "template", "template_id": template_id},
        data={"bill": invoice_json()},
        output={"formats": ["pdf", "xml"], "filename": "Bill"},
    )

    assert (render["status"], render["billed"]) == ("succeeded", True), render["error"]
    assert verdicts(render) == {"einvoice": "passed", "pdfa": "passed", "pdfua": "passed"}
    assert render["warnings"] == []
    assert render["invoice"]["grand_total"] == TOTAL
    with pikepdf.open(io.BytesIO(content(render))) as pdf:
        (name,) = pdf.attachments
        inside = pdf.attachments[name].get_file().read_bytes()
    assert (name, inside) == ("factur-x.xml", content(render, 1))
    assert f"<ram:GrandTotalAmount>{TOTAL}</" in inside.decode()


def test_xrechnung_of_a_test_key_has_a_test_note_and_passes(test: ApiClient) -> None:
    credit = invoice_json({"type_code": "381", "preceding_invoices": [{"number": "2026-0041"}]})

    render = made(test, "/einvoices", profile="XRECHNUNG", syntax="ubl", invoice=credit)

    assert (render["status"], render["billed"]) == ("succeeded", False), render["error"]
    report = render["result"]["conformance"]["einvoice"]
    assert (report["status"], report["scenario"]) == (
        "passed",
        "EN16931 XRechnung (UBL CreditNote)",
    )
    xml = etree.fromstring(content(render))
    assert xml.tag.endswith("}CreditNote")
    assert "#AAI#TEST" in [note.text for note in xml.iterfind("{*}Note")]


def test_document_rejected_by_the_validators_is_not_delivered(live: ApiClient) -> None:
    nowhere = invoice_json({"seller.address.country": "XX"})

    render = made(live, "/einvoices", profile="EN16931", invoice=nowhere)

    assert (render["status"], render["billed"], render["files"]) == ("failed", False, [])
    assert render["error"]["code"] == "einvoice_validation_failed"
    (error,) = render["result"]["conformance"]["einvoice"]["errors"]
    assert (error["rule"], error["path"]) == ("BR-CL-14", "invoice.seller.address.country")


def test_without_validators_the_document_is_delivered_unvalidated(
    live: ApiClient, stack: RunningStack
) -> None:
    hybrid = {
        "input": {"type": "html", "html": PAGE, "templating": True},
        "output": {
            "einvoice": {"profile": "EN16931", "invoice": invoice_json()},
            "pdf": {"pdfua": True},
        },
    }
    with killing_java(stack):
        unvalidated = made(live, "/renders", **hybrid)
    validated = made(live, "/renders", **hybrid)

    assert unvalidated["status"] == "succeeded"
    assert set(verdicts(unvalidated).values()) == {"unavailable"}
    assert [warning["code"] for warning in unvalidated["warnings"]] == [
        "einvoice_validation_unavailable",
        "pdfa_validation_unavailable",
        "pdfua_validation_unavailable",
    ]
    assert content(unvalidated) == content(validated)
    assert verdicts(validated) == {"einvoice": "passed", "pdfa": "passed", "pdfua": "passed"}


@contextlib.contextmanager
def killing_java(stack: RunningStack) -> Iterator[None]:
    """Kill the validators of a stack as soon as they start, during the block."""
    over = threading.Event()

    def kill() -> None:
        for process in psutil.Process(stack.pid).children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                if process.name() == "java":
                    process.kill()

    def kill_each() -> None:
        while not over.wait(0.1):
            kill()

    kill()
    killer = threading.Thread(target=kill_each)
    killer.start()
    try:
        yield
    finally:
        over.set()
        killer.join()
