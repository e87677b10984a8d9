"""Make e-invoices in the form: rules and totals while typing, files, keys that bill."""

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from infra.local.running_stack import RunningStack
from infra.setup.steps import COMMANDS_DIR
from tests.builders.invoices.invoice_json import ABSENT, invoice_json
from tests.builders.stack.api_client import ApiClient
from tests.integration.console.conftest import draft
from tests.integration.console.invoices import hands
from tests.integration.console.looks import look_at
from tests.integration.console.person import Person

pytestmark = pytest.mark.integration

# Peppol's list of schemes has no email address.
PEPPOL: Final = {"seller.electronic_address": {"id": "DE123456789", "scheme": "9930"}}
ATTACK: Final = "<img src=x onerror='window.attacked = 1'>{{ 7 * 7 }}"
DUE: Final = "document.querySelector('.totals [data-name=due_amount] td')?.innerText"
MADE: Final = "document.querySelector('.made-files a[download]')"
READY: Final = "document.querySelector('.rules-kept') !== null"


def newest(stack: RunningStack) -> dict[str, Any]:
    """Return the newest render of the test key."""
    with ApiClient(stack, stack.test_key) as client:
        renders: list[dict[str, Any]] = client.http.get("/renders").json()["data"]
        return renders[0]


@pytest.fixture(autouse=True)
def _downloads(person: Person) -> Iterator[None]:
    """Keep what the page offers for download in `window.downloads`, by its address."""
    source = (
        "{ const make = URL.createObjectURL; window.downloads = {}; URL.createObjectURL = (blob) =>"
        " { const url = make.call(URL, blob); window.downloads[url] = blob; return url } }"
    )
    script = person.browser.call("Page.addScriptToEvaluateOnNewDocument", source=source)
    yield
    person.browser.call("Page.removeScriptToEvaluateOnNewDocument", **script)


def validated(stack: RunningStack, person: Person) -> dict[str, Any]:
    """Return the report of the API on the file that the person can download."""
    content = person.browser.value(
        "new Promise((done) => { const reader = new FileReader();"
        " reader.onload = () => done(reader.result);"
        f" reader.readAsDataURL(window.downloads[{MADE}.href]) }})"
    )
    body = {"content": content.partition(",")[2]}
    with ApiClient(stack, stack.test_key) as client:
        report: dict[str, Any] = client.http.post("/einvoices/validate", json=body).json()
    return report


@pytest.mark.parametrize(
    ("profile", "syntax", "output"),
    [
        ("MINIMUM", "cii", "xml"),
        ("BASIC_WL", "cii", "xml"),
        ("BASIC", "cii", "xml"),
        ("EN16931", "cii", "pdf"),
        ("EN16931", "ubl", "xml"),
        ("EXTENDED", "cii", "xml"),
        ("XRECHNUNG", "cii", "pdf"),
        ("XRECHNUNG", "ubl", "xml"),
        ("PEPPOL", "ubl", "xml"),
    ],
)
def test_invoice_of_each_profile_is_valid(
    person: Person, stack: RunningStack, profile: str, syntax: str, output: str
) -> None:
    invoice = invoice_json(PEPPOL if profile == "PEPPOL" else {})
    hands.write_draft(person, invoice, profile=profile, syntax=syntax, output=output)

    person.enter("/invoices/new")

    person.browser.wait_for(f"{MADE} !== null")
    assert person.browser.value(DUE) == "214.16 EUR"
    report = validated(stack, person)["conformance"]
    assert (report["einvoice"]["profile"], report["einvoice"]["syntax"]) == (profile, syntax)
    assert {part["status"] for part in report.values()} == {"passed"}


def test_invoice_is_written_from_nothing(person: Person, stack: RunningStack) -> None:
    person.enter("/invoices/new")
    person.reads("Write an invoice", within=".make-result")
    values = {
        "number": "F-1",
        "issue_date": "2026-11-30",
        "due_date": "2026-12-30",
        "seller.name": "Muster GmbH",
        "seller.vat_id": "DE123456789",
        "seller.address.country": "DE",
        "buyer.name": "Stadt Beispiel",
        "buyer.address.country": "DE",
        "lines[0].item.name": "Paper",
        "lines[0].quantity": "3",
        "lines[0].price.net": "19,99",
        "lines[0].vat.category": "S",
        "lines[0].vat.rate": "19",
    }

    for path, value in values.items():
        hands.fill(person, path, value)

    person.browser.wait_for(f"{DUE} === '71.36 EUR'")
    person.sees_page()
    with ApiClient(stack, stack.test_key) as client:
        body = {"profile": "EN16931", "invoice": written(person)}
        report = client.http.post("/einvoices/preflight", json=body).json()
    assert (report["ok"], report["invoice"]["due_amount"]) == (True, "71.36")


def written(person: Person) -> Any:
    """Return the invoice of the draft that is kept in the tab."""
    return json.loads(person.browser.value("sessionStorage.getItem('platen.invoice')"))["invoice"]


def test_broken_rule_is_shown_at_its_field(person: Person) -> None:
    invoice = invoice_json({"buyer_reference": ABSENT, "lines[1].price.net": "-80"})
    hands.write_draft(person, invoice, profile="XRECHNUNG")
    person.enter("/invoices/new")

    person.reads("2 things to change", within=".summary")
    person.press("Buyer reference")

    focused = "document.activeElement.id"
    person.browser.wait_for(f"{focused} === 'invoice-buyer_reference'")
    person.reads("must not be negative", within=".line-faults")
    person.browser.type_text("04011000-12345-03")
    person.reads("1 thing to change", within=".summary")
    assert person.sent("POST", "/einvoices") == []


def test_missing_fields_are_quiet_until_a_file_is_asked_for(person: Person) -> None:
    hands.write_draft(person, {"number": "1", "currency": "EUR", "lines": [{}]})
    person.enter("/invoices/new")
    person.reads("things to change", within=".summary")
    assert person.browser.value("document.querySelector('.invoice-form [role=alert]') === null")

    person.press("Make file")

    person.reads("is required", within=".invoice-form [role=alert]")
    assert person.sent("POST", "/einvoices") == []


def test_rule_of_the_validators_is_shown_at_its_field(person: Person) -> None:
    hands.write_draft(person, invoice_json({"seller.address.country": "XX"}))

    person.enter("/invoices/new")

    person.reads("BR-CL-14", within=".summary")
    person.browser.value("document.querySelector('.fault-list button').click()")
    person.browser.wait_for("document.activeElement.id === 'invoice-seller.address.country'")
    person.reads("BR-CL-14", within=".invoice-form")


def test_lines_are_written_with_the_keyboard(person: Person) -> None:
    hands.write_draft(person, invoice_json())
    person.enter("/invoices/new")
    person.browser.wait_for(READY)

    person.browser.value("document.getElementById('invoice-lines[1].quantity').focus()")
    hands.press_key(person, "Enter")
    person.browser.wait_for("document.activeElement.id === 'invoice-lines[2].quantity'")
    person.browser.type_text("2")
    hands.press_key(person, "ArrowUp")
    person.browser.wait_for("document.activeElement.id === 'invoice-lines[1].quantity'")
    hands.fill(person, "lines[2].price.net", "10")
    hands.fill(person, "lines[2].item.name", "Pens")

    # The VAT of the line before is taken.
    assert hands.value_of(person, "lines[2].vat.rate") == "19"
    person.browser.wait_for(f"{DUE} === '237.96 EUR'")


def test_entry_is_removed_and_totals_follow(person: Person) -> None:
    charge = {"amount": "10", "reason": "Post", "vat": {"category": "S", "rate": "19"}}
    hands.write_draft(person, invoice_json({"charges": [charge]}))
    person.enter("/invoices/new")
    person.browser.wait_for(f"{DUE} === '226.06 EUR'")

    person.browser.value("document.querySelector('[aria-label=\"Remove: Charges\"]').click()")

    person.browser.wait_for(f"{DUE} === '214.16 EUR'")
    assert "charges" not in written(person)


def test_draft_outlives_a_reload(person: Person) -> None:
    hands.write_draft(person, invoice_json())
    person.enter("/invoices/new")
    person.browser.wait_for(READY)
    hands.fill(person, "order_reference", "PO-1")

    person.enter("/invoices/new")

    person.browser.wait_for(READY)
    assert hands.value_of(person, "order_reference") == "PO-1"


def test_profile_without_a_pdf_gives_xml(person: Person) -> None:
    hands.write_draft(person, invoice_json(PEPPOL), output="pdf")
    person.enter("/invoices/new")
    person.browser.wait_for(READY)

    hands.choose(person, "profile", "PEPPOL")

    person.browser.wait_for(f"{MADE}?.download === '2026-0042.xml'")
    assert person.browser.value(
        "[...document.querySelectorAll('.make-target button')]"
        ".find((each) => each.innerText === 'PDF with XML').disabled"
    )


def test_live_key_makes_a_file_only_on_demand_and_once(person: Person, stack: RunningStack) -> None:
    hands.write_draft(person, invoice_json())
    person.enter("/invoices/new", key=stack.live_key)
    person.browser.wait_for(f"{DUE} === '214.16 EUR'")
    person.reads("each file is billed", within=".summary")
    assert person.sent("POST", "/einvoices") == []

    button = "document.querySelector('.topline > .primary')"
    person.browser.wait_for(f"!{button}.disabled")
    person.browser.value(f"{button}.click(); {button}.click()")

    person.browser.wait_for(f"{MADE} !== null")
    assert len(person.sent("POST", "/einvoices")) == 1


def test_previews_are_not_kept_and_made_files_are(person: Person, stack: RunningStack) -> None:
    hands.write_draft(person, invoice_json())
    person.enter("/invoices/new")
    person.browser.wait_for(f"{MADE} !== null")
    preview = newest(stack)
    assert (preview["metadata"], preview["files"]) == ({"console": "preview"}, [])

    person.press("Make file")
    person.press("Open the render")

    person.reads("Succeeded", within=".timeline")
    assert newest(stack)["files"][0]["expires_at"] is not None


def test_made_file_is_opened_in_the_check(person: Person) -> None:
    hands.write_draft(person, invoice_json(), profile="XRECHNUNG")
    person.enter("/invoices/new")

    person.press("Open in Check")

    person.reads("Valid XRechnung 3.0 (CII)", within=".verdict")


def test_invoice_goes_to_the_playground_after_a_question(person: Person) -> None:
    hands.write_draft(person, invoice_json(), output="pdf")
    person.enter("/invoices/new", draft=draft("<h1>My work</h1>"))
    person.browser.wait_for(READY)

    person.press("Open in playground")
    person.press("Keep it")
    kept = "sessionStorage.getItem('platen.draft').includes('My work')"
    assert person.browser.value(kept)
    person.press("Open in playground")
    person.press("Replace it")

    person.sees_page()
    assert person.browser.value("location.pathname") == "/console/playground"
    assert not person.browser.value(kept)


@pytest.mark.parametrize("output", ["xml", "pdf"])
def test_copied_program_makes_the_invoice(
    person: Person, stack: RunningStack, tmp_path: Path, output: str
) -> None:
    hands.write_draft(person, invoice_json({"seller.name": 'It\'s "$HOME" `x`'}), output=output)
    person.enter("/invoices/new")
    person.browser.wait_for(READY)
    person.browser.value("navigator.clipboard.writeText = async (text) => { window.copied = text }")

    person.press("Copy as")
    person.press("curl")

    environment = {"PLATEN_KEY": stack.test_key, "PATH": f"{COMMANDS_DIR}:/usr/bin:/bin"}
    program = person.browser.wait_for("window.copied")
    subprocess.run(["bash", "-c", program], cwd=tmp_path, env=environment, check=True)  # noqa: S607
    made = (tmp_path / f"invoice.{output}").read_bytes()
    assert made.startswith(b"<?xml" if output == "xml" else b"%PDF-")


def test_hostile_texts_stay_texts(person: Person, stack: RunningStack) -> None:
    changes = {"number": ATTACK, "seller.name": ATTACK, "lines[0].item.name": ATTACK}
    hands.write_draft(person, invoice_json(changes), output="pdf")

    person.enter("/invoices/new")

    person.sees_page()
    made = newest(stack)
    assert made["status"] == "succeeded"
    person.browser.wait_for(f"{MADE} !== null")
    content = validated(stack, person)["invoice"]
    assert (content["number"], content["seller"]["name"]) == (ATTACK, ATTACK)


def test_example_is_begun_with_by_its_address(person: Person) -> None:
    person.enter("/invoices/new?example=K-2026-0318")

    person.browser.wait_for(f"{DUE} === '1,066.75 EUR'")
    person.browser.wait_for("!location.search.includes('example')")


def test_views_have_no_barrier(person: Person) -> None:
    shown = "document.querySelector('.summary .empty') !== null"
    look_at(person, "invoice-empty", "/invoices", "document.querySelector('.empty') !== null")
    look_at(person, "invoice-new", "/invoices/new?part=result", shown)
    hands.write_draft(person, invoice_json({"buyer_reference": ABSENT}), profile="XRECHNUNG")
    broken = "document.querySelector('.fault-list') !== null"
    look_at(person, "invoice-broken", "/invoices/new", broken)
    hands.write_draft(person, invoice_json(), output="pdf")
    done = f"{MADE} !== null"
    look_at(person, "invoice-made", "/invoices/new?part=result", done)
