"""Damaged PDFs with an invoice: each answer names what is wrong."""

import io
import random
from collections.abc import Callable
from typing import Final

import pikepdf
import pytest

from chalicelib.engine.conformance.document_claims import NotAPdfError
from chalicelib.engine.conformance.read_received import read_received
from chalicelib.engine.conformance.read_received_worker import read_document
from chalicelib.engine.deadline import Deadline
from tests.builders.invoices.damaged_hybrids import DAMAGES, HYBRIDS, Damage
from tests.builders.invoices.hybrids import INVOICE_XML, hybrid_pdf

SEEDS: Final = 6


def altered(change: Callable[[pikepdf.Pdf, pikepdf.Object], object]) -> bytes:
    with pikepdf.open(io.BytesIO(hybrid_pdf())) as pdf:
        (attached,) = pdf.attachments.values()
        change(pdf, attached.obj)
        result = io.BytesIO()
        pdf.save(result, fix_metadata_version=False)
    return result.getvalue()


def told(content: bytes) -> str:
    """Return what an answer says is wrong; empty for a document that is read."""
    try:
        answer = read_document(content)
    except NotAPdfError as reason:
        return str(reason)
    if answer["check"] is not None:
        assert answer["invoice"] is not None
        assert answer["pdf"] != []
        return ""
    assert answer["errors"] != []
    return answer["errors"][0]["message"]


@pytest.mark.parametrize("name", HYBRIDS)
@pytest.mark.parametrize("damage", DAMAGES, ids=lambda damage: damage.__name__)
def test_every_answer_names_what_is_wrong(name: str, damage: Damage) -> None:
    for seed in range(SEEDS):
        message = told(damage(HYBRIDS[name], random.Random(seed)))  # noqa: S311 -- no secret

        assert " object at 0x" not in message
        assert message != "the file cannot be read as a PDF"


@pytest.mark.parametrize("name", HYBRIDS)
def test_an_undamaged_hybrid_is_read(name: str) -> None:
    assert told(HYBRIDS[name]) == ""


def no_content(_pdf: pikepdf.Pdf, file: pikepdf.Object) -> None:
    del file["/EF"]


def empty_content(_pdf: pikepdf.Pdf, file: pikepdf.Object) -> None:
    file["/EF"] = pikepdf.Dictionary()


def content_without_a_stream(_pdf: pikepdf.Pdf, file: pikepdf.Object) -> None:
    file["/EF"] = pikepdf.Dictionary(F=pikepdf.Dictionary(), UF=pikepdf.String("x"))


def damaged_content(pdf: pikepdf.Pdf, file: pikepdf.Object) -> None:
    stream = pikepdf.Stream(pdf, b"no zlib data", Filter=pikepdf.Name.FlateDecode)
    file["/EF"] = pikepdf.Dictionary(F=stream)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (no_content, "the PDF names factur-x.xml, but its content is missing"),
        (empty_content, "the PDF names factur-x.xml, but its content is missing"),
        (content_without_a_stream, "the PDF names factur-x.xml, but its content is missing"),
        (damaged_content, "factur-x.xml: the file inside the PDF is damaged"),
    ],
)
def test_a_hybrid_without_a_usable_invoice_keeps_the_checks_of_the_pdf(
    change: Callable[[pikepdf.Pdf, pikepdf.Object], object], message: str
) -> None:
    reading = read_received(altered(change), Deadline.after(60))

    assert [found["message"] for found in reading["errors"]] == [message]
    assert [check["kind"] for check in reading["pdf"]] == ["pdf-3a", "pdf-ua1"]


def test_a_pdf_with_two_invoices_keeps_the_checks_of_the_pdf() -> None:
    reading = read_document(hybrid_pdf("factur-x.xml", "xrechnung.xml"))

    assert "carries 2 invoices" in reading["errors"][0]["message"]
    assert [check["kind"] for check in reading["pdf"]] == ["pdf-3a", "pdf-ua1"]


def test_two_invoices_without_a_claim_are_held_against_pdf_a_3() -> None:
    content = io.BytesIO()
    with pikepdf.open(io.BytesIO(hybrid_pdf("factur-x.xml", "xrechnung.xml"))) as pdf:
        del pdf.Root.Metadata
        pdf.save(content)

    reading = read_document(content.getvalue())

    assert [check["kind"] for check in reading["pdf"]] == ["pdf-3b"]


def test_metadata_that_are_no_stream_claim_nothing() -> None:
    def change(pdf: pikepdf.Pdf, _file: pikepdf.Object) -> None:
        pdf.Root.Metadata = pikepdf.Dictionary()

    reading = read_document(altered(change))

    assert [check["kind"] for check in reading["pdf"]] == ["pdf-3b"]
    assert reading["invoice"] is not None


def test_an_invoice_that_a_repair_has_lost_is_told_as_damage() -> None:
    def change(pdf: pikepdf.Pdf, _file: pikepdf.Object) -> None:
        del pdf.Root.Names
        del pdf.Root.AF

    content = altered(change)
    damaged = content.replace(b"startxref", b"startxxxx")

    assert told(content) == "the PDF carries no factur-x.xml, xrechnung.xml or the like"
    assert told(damaged).endswith("or the like; it is damaged, and parts of it are lost")


def test_a_root_of_another_namespace_is_told() -> None:
    namespace = b"urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"

    message = told(INVOICE_XML.replace(namespace, b"urn:example"))

    assert message.endswith("each in its own namespace")
