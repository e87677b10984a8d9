"""Check received e-invoices: verdicts, findings in three places, hostile files, small keys."""

import io
import subprocess
from pathlib import Path
from typing import Final

import pikepdf
import pytest

from chalicelib.core.ids import WorkspaceId
from infra.local.running_stack import RunningStack
from infra.setup.steps import COMMANDS_DIR
from tests.builders.invoices.hybrids import INVOICE_XML, hybrid_pdf
from tests.builders.invoices.invoice_json import invoice_json
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.tenants import Tenants
from tests.integration.console.invoices import hands
from tests.integration.console.person import Person
from tests.integration.validators.conftest import proof

pytestmark = pytest.mark.integration

XRECHNUNG: Final = proof("ubl-Invoice-XRECHNUNG")
UNKNOWN_UNIT: Final = INVOICE_XML.replace(b"HUR", b"QQQ")
NO_REFERENCE: Final = XRECHNUNG.replace(b"<cbc:BuyerReference>", b"<!--").replace(
    b"</cbc:BuyerReference>", b"-->"
)
ATTACK: Final = "<script>window.attacked = 1</script><img src=x onerror='window.attacked = 1'>"
BOMB: Final = (
    b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, 9))
    + b"]><Invoice>&a8;</Invoice>"
)
FOREIGN_ENTITY: Final = (
    b'<!DOCTYPE a [<!ENTITY x SYSTEM "http://evil.example/x">]><Invoice>&x;</Invoice>'
)
CARDS: Final = "document.querySelectorAll('.finding')"


def locked_pdf() -> bytes:
    document = io.BytesIO()
    with pikepdf.new() as pdf:
        pdf.add_blank_page()
        pdf.save(document, encryption=pikepdf.Encryption(owner="o", user="u"))
    return document.getvalue()


@pytest.mark.parametrize(
    ("kind", "sentence", "sheet"),
    [
        ("ubl-Invoice-XRECHNUNG", "Valid XRechnung 3.0 (UBL)", "XRechnung 3.0"),
        ("cii-XRECHNUNG", "Valid XRechnung 3.0 (CII)", "XRechnung 3.0"),
        ("ubl-Invoice-PEPPOL", "Valid Peppol BIS Billing 3.0 (UBL)", "Peppol BIS Billing 3.0"),
        ("ubl-CreditNote-EN16931", "Valid EN 16931 (UBL)", "EN 16931"),
        ("cii-BASIC", "Valid Factur-X BASIC (CII)", "Factur-X"),
    ],
)
def test_valid_invoice_is_called_valid(
    person: Person, kind: str, sentence: str, sheet: str
) -> None:
    person.enter("/invoices")

    hands.drop(person, f"{kind}.xml", proof(kind))

    person.reads(sentence, within=".verdict")
    assert person.text(hands.SENTENCE) == sentence
    person.reads(sheet, within=".sheet-chips")
    assert person.browser.value("document.querySelector('.sheet-chips .failed') === null")
    person.reads("Seller", within=".invoice-paper")
    person.reads("No findings", within=".check-findings")


def test_invoice_in_a_pdf_is_read_with_its_xml(person: Person) -> None:
    person.enter("/invoices")

    hands.drop(person, "bill.pdf", hybrid_pdf())

    person.reads("Valid EN 16931 (CII), 1 warning", within=".verdict")
    person.reads("PDF/UA-1", within=".sheet-chips")
    person.reads("Muster GmbH", within=".invoice-paper")
    person.browser.wait_for(hands.XML_IS_SHOWN)
    xml = "document.querySelector('.check-xml .editor').shadowRoot.textContent"
    assert "CrossIndustryInvoice" in person.browser.value(xml)


def test_one_selection_is_shown_in_all_three_places(person: Person) -> None:
    person.enter("/invoices")
    hands.drop(person, "unit.xml", UNKNOWN_UNIT)
    person.reads("Not a valid EN 16931 (CII): 1 error", within=".verdict")
    person.browser.wait_for(hands.XML_IS_SHOWN)

    person.browser.value(f"{CARDS}[0].click()")

    assert hands.selected_on_page(person) == "QQQ"
    assert 'unitCode="QQQ"' in hands.selected_in_xml(person)
    person.browser.wait_for("location.search === '?finding=1'")
    person.browser.value("document.querySelector('[data-path=\"seller.name\"]').click()")
    assert hands.selected_in_xml(person) == "<ram:Name>Muster GmbH</ram:Name>"
    assert person.browser.wait_for("location.search === ''")
    person.browser.value("document.querySelector('[data-path=\"lines[1].unit\"]').click()")
    person.browser.wait_for(f"{CARDS}[0].getAttribute('aria-current') === 'true'")


def test_total_of_the_document_is_found_in_its_xml(person: Person) -> None:
    person.enter("/invoices")
    hands.drop(person, "bill.xml", INVOICE_XML)
    person.reads("Valid EN 16931", within=".verdict")
    person.browser.wait_for(hands.XML_IS_SHOWN)

    person.browser.value("document.querySelector('[data-name=due_amount]').click()")

    assert hands.selected_in_xml(person) == "<ram:DuePayableAmount>214.16</ram:DuePayableAmount>"


def test_missing_value_has_a_place_on_the_page(person: Person) -> None:
    person.enter("/invoices")

    hands.drop(person, "bill.xml", NO_REFERENCE)

    person.reads("Not a valid XRechnung 3.0 (UBL): 1 error", within=".verdict")
    person.reads("reference is missing.", within=".finding")
    person.reads("Buyer reference", within=".finding-place")
    person.browser.value(f"{CARDS}[0].click()")
    assert hands.selected_on_page(person) == "Buyer reference missing"


def test_value_is_framed_where_the_pdf_prints_it(person: Person, stack: RunningStack) -> None:
    with ApiClient(stack, stack.test_key) as client:
        made = client.render(
            "<title>x</title><p>Rechnung von Muster GmbH, {{ invoice.due_amount }}",
            data={"bill": invoice_json()},
            output={"einvoice": {"profile": "EN16931", "invoice_path": "bill"}},
            delivery={"type": "binary"},
        )
    person.enter("/invoices")
    hands.drop(person, "bill.pdf", made.content)
    person.reads("Valid EN 16931", within=".verdict")

    person.browser.value("document.querySelector('[data-path=\"seller.name\"]').click()")
    person.press("PDF")

    person.sees_page()
    person.browser.wait_for("document.querySelector('.page-mark')?.offsetWidth > 20")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("bomb.xml", BOMB, "has a DOCTYPE"),
        ("entity.xml", FOREIGN_ENTITY, "has a DOCTYPE"),
        ("deep.xml", b"<a>" * 100_000, "not well-formed"),
        ("plain.xml", b"<a/>", "PLT-NO-INVOICE"),
        ("text.xml", b"Dear Sir or Madam", "not well-formed"),
        ("page.pdf", proof("pdf-3a"), "carries no factur-x.xml"),
        ("locked.pdf", locked_pdf(), "pdf_password_required"),
        ("broken.pdf", b"%PDF-1.7 and nothing else", "invalid_pdf_source"),
        ("picture.png", b"\x89PNG\r\n\x1a\n" + bytes(500), "not well-formed"),
        ("empty.xml", b"", "The file is empty"),
        (f"{ATTACK}.xml", b"\xff\xfe<\x00a\x00", "PLT-NO-INVOICE"),
    ],
)
def test_what_is_no_invoice_is_refused_in_clear_words(
    person: Person, name: str, content: bytes, words: str
) -> None:
    person.enter("/invoices")

    hands.drop(person, name, content)

    person.reads(words, within=".check-view")
    # The view works on.
    hands.drop(person, "bill.xml", INVOICE_XML)
    person.reads("Valid EN 16931", within=".verdict")


def test_scripts_in_fields_are_texts(person: Person) -> None:
    hostile = ATTACK.replace("&", "&amp;").replace("<", "&lt;").encode()
    xml = INVOICE_XML.replace(b"Muster GmbH", hostile).replace(b"Paper", b"<![CDATA[<b>P</b>]]>")
    person.enter("/invoices")

    hands.drop(person, f"{ATTACK}.xml", xml)

    person.reads("window.attacked", within=".invoice-paper")
    person.reads("<b>P</b>", within=".invoice-lines")
    person.reads("window.attacked", within=".verdict-name")
    person.browser.wait_for(hands.XML_IS_SHOWN)


def test_file_that_is_too_large_is_not_sent(person: Person) -> None:
    person.enter("/invoices")

    hands.drop_large(person, "large.xml", "'x'.repeat(20_000_001)")

    person.reads("An e-invoice may have 20 MB", within="[role=alert]")
    assert person.sent("POST", "/uploads") == person.sent("POST", "/einvoices/validate") == []


def test_key_that_may_only_render_is_enough(
    person: Person, stack: RunningStack, tenants: Tenants
) -> None:
    new = tenants.operator.manage_keys.create(
        WorkspaceId(stack.workspace), mode="live", scopes=["render:write"]
    )
    person.enter("/invoices", key=new.text)

    hands.drop(person, "bill.xml", INVOICE_XML)

    person.reads("Valid EN 16931 (CII)", within=".verdict")


def test_key_that_may_not_render_is_told_so(
    person: Person, stack: RunningStack, tenants: Tenants
) -> None:
    scopes = ["renders:read", "account:read"]
    new = tenants.operator.manage_keys.create(
        WorkspaceId(stack.workspace), mode="test", scopes=scopes
    )

    person.enter("/invoices", key=new.text)

    person.reads("scope render:write", within="#view")


def test_pasted_xml_and_an_example_are_checked(person: Person) -> None:
    person.enter("/invoices")

    person.press("Check an example")
    person.reads("Valid Factur-X BASIC (CII)", within=".verdict")
    hands.paste(person, XRECHNUNG.decode())

    person.reads("Valid XRechnung 3.0 (UBL)", within=".verdict")
    person.reads("pasted.xml", within=".verdict")


def test_last_of_two_files_is_the_one_that_is_shown(person: Person) -> None:
    person.enter("/invoices")

    hands.drop(person, "first.xml", UNKNOWN_UNIT)
    hands.drop(person, "second.xml", XRECHNUNG)

    person.reads("Valid XRechnung", within=".verdict")
    person.reads("second.xml", within=".verdict")


def test_document_is_still_there_after_another_view(person: Person) -> None:
    person.enter("/invoices")
    hands.drop(person, "unit.xml", UNKNOWN_UNIT)
    person.reads("Not a valid EN 16931", within=".verdict")

    person.press("Make")
    person.reads("Write an invoice", within=".make-result")
    person.browser.value("history.back()")

    person.reads("Not a valid EN 16931", within=".verdict")
    assert len(person.sent("POST", "/einvoices/validate")) == 1


def test_copied_program_validates_the_file(
    person: Person, stack: RunningStack, tmp_path: Path
) -> None:
    person.enter("/invoices")
    hands.drop(person, "any.xml", XRECHNUNG)
    person.reads("Valid XRechnung", within=".verdict")
    person.browser.value("navigator.clipboard.writeText = async (text) => { window.copied = text }")

    person.press("Copy as")
    person.press("curl")

    (tmp_path / "invoice.xml").write_bytes(XRECHNUNG)
    environment = {"PLATEN_KEY": stack.test_key, "PATH": f"{COMMANDS_DIR}:/usr/bin:/bin"}
    done = subprocess.run(
        ["bash", "-c", person.browser.wait_for("window.copied")],  # noqa: S607
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
    )
    assert b'"status":"passed"' in done.stdout.replace(b" ", b"")


def test_views_of_a_document_have_no_barrier(person: Person) -> None:
    hands.look_at_document(person, "invoice-checked", "/invoices?part=page", "a.xml", NO_REFERENCE)
    hands.look_at_document(person, "invoice-findings", "/invoices?finding=1", "a.xml", UNKNOWN_UNIT)
