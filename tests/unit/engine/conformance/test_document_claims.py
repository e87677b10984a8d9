"""Conformance claims of a PDF: found in every location, reported when unknown."""

import io
from collections.abc import Callable

import pikepdf
import pytest

from chalicelib.engine.conformance.document_claims import read_pdf_claims
from chalicelib.engine.conformance.read_received_worker import read_document
from tests.builders.invoices.hybrids import INVOICE_XML, hybrid_pdf


def altered(change: Callable[[pikepdf.Pdf], object]) -> bytes:
    with pikepdf.open(io.BytesIO(hybrid_pdf())) as pdf:
        change(pdf)
        result = io.BytesIO()
        pdf.save(result)
    return result.getvalue()


def claiming(part: bytes, level: bytes) -> bytes:
    def change(pdf: pikepdf.Pdf) -> None:
        metadata = pdf.Root.Metadata.read_bytes()
        metadata = metadata.replace(b"<pdfaid:part>3<", b"<pdfaid:part>%b<" % part)
        metadata = metadata.replace(b":conformance>A<", b":conformance>%b<" % level)
        pdf.Root.Metadata = pdf.make_stream(metadata)

    return altered(change)


def bind(pdf: pikepdf.Pdf) -> None:
    (attached,) = pdf.attachments.values()
    pdf.Root.AF = pikepdf.Array([attached.obj, None, "nothing"])


def bind_only(pdf: pikepdf.Pdf) -> None:
    bind(pdf)
    del pdf.Root.Names.EmbeddedFiles


def bind_another(pdf: pikepdf.Pdf) -> None:
    content = pikepdf.Dictionary(F=pdf.make_stream(INVOICE_XML))
    pdf.Root.AF = [pikepdf.Dictionary(F="XRechnung.xml", EF=content)]


@pytest.mark.parametrize("change", [bind, bind_only])
def test_embedded_invoice_is_found_once(
    change: Callable[[pikepdf.Pdf], None],
) -> None:
    assert read_pdf_claims(altered(change)).invoice == INVOICE_XML


def test_listed_and_associated_invoices_are_two() -> None:
    claims = read_pdf_claims(altered(bind_another))

    assert claims.invoice is None
    assert "carries 2 invoices" in (claims.problem or "")


def test_blanks_around_a_claim_do_not_hide_it() -> None:
    assert read_pdf_claims(claiming(b" 3 ", b"\n A ")).pdfa == "3a"


def test_claim_without_known_rules_is_reported() -> None:
    metadata = read_document(claiming(b"1", b"B"))

    assert metadata["warnings"][0]["rule"] == "PLT-PROFILE"
    assert "PDF/A-1b" in metadata["warnings"][0]["message"]
    # The invoice still requires this check.
    assert [check["kind"] for check in metadata["pdf"]] == ["pdf-3b", "pdf-ua1"]
