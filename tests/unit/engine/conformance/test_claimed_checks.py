"""Checks that a file claims for itself; unknown claims are reported."""

from pathlib import Path

import pytest

from chalicelib.engine.conformance.invoice_head import NotAnInvoiceError, invoice_check

PROOFS = Path(__file__).parents[4] / "layers" / "validators" / "proof"


@pytest.mark.parametrize("path", sorted(PROOFS.glob("*.xml")), ids=lambda path: path.stem)
def test_invoice_is_checked_against_its_profile(path: Path) -> None:
    assert invoice_check(path.read_bytes()).kind == path.stem


@pytest.mark.parametrize(
    ("xml", "why"),
    [
        (b"<a/>", "neither a CII nor a UBL"),
        (b"<a>", "not well-formed"),
        (b"", "not well-formed"),
        (b'<?xml version="1.0" encoding="foo"?><a/>', "not well-formed"),
        (b'<?xml version="1.0" encoding="shift_jis"?><a/>', "not well-formed"),
        (b'<?xml version="1.0" encoding="idna"?><a/>', "not well-formed"),
        (b'<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', "document type"),
        (b'<!DOCTYPE a SYSTEM "http://127.0.0.1/"><a/>', "document type"),
        ((PROOFS / "cii-BASIC.xml").read_bytes().replace(b"factur-x.eu", b"x"), "guideline"),
        (
            (PROOFS / "ubl-Invoice-EN16931.xml")
            .read_bytes()
            .replace(b"urn:cen.eu:en16931:2017", b"urn:factur-x.eu:1p0:minimum"),
            "MINIMUM has rules for CII only",
        ),
    ],
)
def test_missing_profile_is_reported(xml: bytes, why: str) -> None:
    with pytest.raises(NotAnInvoiceError, match=why):
        invoice_check(xml)
