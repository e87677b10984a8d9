"""Received documents: claimed checks, content, and bounds on time and memory."""

import io
import resource
import zlib
from dataclasses import replace
from typing import Any

import pikepdf
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.checks import NoValidator
from chalicelib.engine.conformance.read_received import read_received
from chalicelib.engine.conformance.read_received_worker import read_document
from chalicelib.engine.conformance.validate_received import ReceivedValidation, validate_received
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from tests.builders.invoices.hybrids import INVOICE_XML, hybrid_pdf
from tests.builders.invoices.models import line, minimal


def test_document_without_a_profile_breaks_br_01() -> None:
    report = read_document(INVOICE_XML.replace(b">urn:cen.eu:en16931:2017<", b"><"))

    assert [found["rule"] for found in report["errors"]] == ["BR-01"]
    assert report["check"] is None
    assert report["invoice"] is not None


@pytest.mark.parametrize("profile", ["MINIMUM", "BASIC_WL"])
def test_profile_without_lines_gives_no_invoice(profile: str) -> None:
    report = read_document(write_cii(minimal(), compute_totals(minimal()), PROFILES[profile]))

    assert (report["profile"], report["invoice"], report["errors"]) == (profile, None, [])
    assert [found["rule"] for found in report["warnings"]] == ["PLT-NOT-IN-MODEL"]
    assert "no lines" in report["warnings"][0]["message"]


@pytest.mark.parametrize(
    ("old", "new", "path", "message"),
    [
        (b">2026-0042<", b">%s<" % (b"R" * 201), "invoice.number", "has 201 characters"),
        (b"<ram:GrandTotalAmount>", b"<ram:GrandTotalAmount>1", None, "grand_total is "),
        (b"<ram:CalculatedAmount>", b"<ram:CalculatedAmount>1", None, "tax_amount of the VAT cate"),
        (b">19</ram:Rate", b">x</ram:Rate", "invoice.lines[0].vat.rate", "is no decimal number"),
    ],
)
def test_warnings_name_the_field(old: bytes, new: bytes, path: str | None, message: str) -> None:
    assert old in INVOICE_XML

    report = read(INVOICE_XML.replace(old, new)).conformance["einvoice"]

    told = [each for each in report["warnings"] if message in each["message"]]
    assert path in [each["path"] for each in told]


def test_an_invoice_too_large_for_an_answer_is_left_out() -> None:
    quoted = line(note='"' * 5000)
    large = minimal(lines=tuple(replace(quoted, id=str(n)) for n in range(300)))

    report = read_document(write_cii(large, compute_totals(large), PROFILES["EN16931"]))

    assert report["check"] is not None
    assert report["invoice"] is None
    assert "too large for an answer" in report["warnings"][0]["message"]


@pytest.mark.parametrize("revision", [3, 4, 6])
def test_pdf_with_an_empty_user_password_is_read(revision: int) -> None:
    aes = revision > 3
    lock = pikepdf.Encryption(owner="o", user="", R=revision, aes=aes, metadata=aes)  # type: ignore[arg-type]

    found = read(hybrid_pdf(encryption=lock))

    assert found.invoice is not None
    assert found.conformance["einvoice"]["profile"] == "EN16931"


@pytest.mark.parametrize("encoding", ["utf-16", "windows-1252", "iso-8859-15"])
def test_other_encodings_are_read_where_nothing_can_be_loaded(encoding: str) -> None:
    text = INVOICE_XML.decode().replace("UTF-8", encoding).replace("Muster GmbH", "Müller GmbH")

    found = read(text.encode(encoding))

    invoice: Any = found.invoice
    assert invoice["seller"]["name"] == "Müller GmbH"


def test_decompression_bombs_are_not_unpacked() -> None:
    with pikepdf.open(io.BytesIO(hybrid_pdf())) as pdf:
        packed = zeros(100)
        pdf.Root.Metadata.write(packed, filter=pikepdf.Name.FlateDecode)
        bomb = io.BytesIO()
        pdf.save(bomb)

    report = read_document(bomb.getvalue())

    # Unreadable metadata claim nothing: only the checks of the invoice apply.
    assert [check["kind"] for check in report["pdf"]] == ["pdf-3b"]


def test_reading_is_bounded_in_memory() -> None:
    packed = zeros(1_500)
    table = b"1 0 obj<</Type/XRef/Size 2/W[1 2 1]/Root 2 0 R/Filter/FlateDecode/Length %d>>stream\n"
    end = b"\nendstream endobj\nstartxref\n9\n%%EOF"

    with pytest.raises(RenderFailure) as refused:
        read(b"%PDF-1.7\n" + table % len(packed) + packed + end)

    assert refused.value.code == "invalid_pdf_source"
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 < 1_000_000_000


def test_reading_ends_at_its_deadline() -> None:
    with pytest.raises(RenderFailure) as late:
        read_received(INVOICE_XML, Deadline.after(0))

    assert late.value.code == "render_timeout"


def read(content: bytes) -> ReceivedValidation:
    deadline = Deadline.after(60)
    reading = read_received(content, deadline)
    return validate_received(content, reading, NoValidator(), deadline, may_store=True)


def zeros(megabytes: int) -> bytes:
    """Return megabytes of zeros compressed by zlib, without compressing them all."""
    packer = zlib.compressobj(wbits=-15)
    one = packer.compress(bytes(1_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    checksum = (megabytes * 1_000_000 % 65521 << 16) + 1
    return b"x\x9c" + one * megabytes + b"\x03\x00" + checksum.to_bytes(4)
