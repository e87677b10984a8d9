"""Hostile XML: unsafe, broken or foreign documents are refused with a message."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from time import process_time

import pytest
from lxml import etree

from chalicelib.engine.einvoice import xml_parser
from chalicelib.engine.einvoice.model import Invoice, PriceDetails
from chalicelib.engine.einvoice.profiles import PROFILES, InvoiceProfile
from chalicelib.engine.einvoice.read_xml import read_xml
from chalicelib.engine.einvoice.totals import InvoiceTotals, compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_ubl import write_ubl
from chalicelib.engine.einvoice.xml_parser import RefusedXmlError
from tests.builders.invoices.models import full, line, minimal

LAUGHS = b"<!DOCTYPE x [<!ENTITY a 'ha'>" + b"".join(
    b"<!ENTITY %c '%s'>" % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
)


def document() -> bytes:
    return write_cii(minimal(), compute_totals(minimal()), PROFILES["EN16931"])


def with_doctype(doctype: bytes, number: bytes = b"RE-2026-001") -> bytes:
    declaration, _, rest = document().partition(b"\n")
    return declaration + doctype + rest.replace(b"RE-2026-001", number)


@pytest.mark.parametrize(
    "hostile",
    [
        with_doctype(LAUGHS + b"]>", b"&j;"),
        with_doctype(b"<!DOCTYPE x SYSTEM 'http://127.0.0.1:9/x.dtd'>"),
        with_doctype(b"<!--\n--><?a b?><!DOCTYPE x>"),
        with_doctype(b"<!DOCTYPE x [<!ENTITY % p SYSTEM 'http://127.0.0.1:9/'> %p;]>"),
        with_doctype(b"<!DOCTYPE x [<!ATTLIST x y CDATA 'z'>]>"),
        with_doctype(b"<!DOCTYPE x>").decode().replace("UTF-8", "UTF-16").encode("utf-16"),
    ],
)
def test_any_doctype_is_refused(hostile: bytes) -> None:
    with pytest.raises(RefusedXmlError, match="has a DOCTYPE; remove it"):
        read_xml(hostile)


def test_external_entity_reads_no_file(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("geheim")
    doctype = f"<!DOCTYPE x [<!ENTITY s SYSTEM '{secret.as_uri()}'>]>".encode()

    with pytest.raises(RefusedXmlError, match="DOCTYPE"):
        read_xml(with_doctype(doctype, b"&s;"))


@pytest.mark.parametrize(
    "broken",
    [
        b"",
        b"%PDF-1.7",
        b"<a>",
        b"<a>&undeclared;</a>",
        b"<a b='1' b='2'/>",
        b"\xff\xfe\x00",
        b"<?xml version='1.0' encoding='utf-7'?><a/>",
        b"<a>\x00</a>",
    ],
)
def test_malformed_xml_is_refused(broken: bytes) -> None:
    with pytest.raises(RefusedXmlError, match="not well-formed"):
        read_xml(broken)


@pytest.mark.parametrize("depth", [257, 3_000, 1_000_000])
def test_xml_that_is_too_deep_is_refused(depth: int) -> None:
    with pytest.raises(RefusedXmlError, match=r"inside each other|too deep"):
        read_xml(b"<a>" * depth + b"</a>" * depth)


def test_deepest_xml_is_read() -> None:
    assert xml_parser.parse_xml(b"<a>" * 256 + b"</a>" * 256).tag == "a"


def test_size_is_checked_before_parsing() -> None:
    with pytest.raises(RefusedXmlError, match="send at most 64000000"):
        read_xml(b" " * (xml_parser.MAX_XML_BYTES + 1))
    with pytest.raises(RefusedXmlError, match="more than 3000000 tags"):
        read_xml(b"<a>" + b"<b/>" * 3_000_001)
    with pytest.raises(RefusedXmlError, match="1500000 attributes"):
        read_xml(b"<a " + b"x=''" * 1_500_001)


@pytest.mark.parametrize(
    ("other", "name"),
    [
        (b"<html/>", "html"),
        (b"<Invoice/>", "Invoice"),
        (document().replace(b"CrossIndustryInvoice", b"CrossIndustryOrder"), "CrossIndustryOrder"),
    ],
)
def test_other_documents_are_refused_by_name(other: bytes, name: str) -> None:
    with pytest.raises(RefusedXmlError, match=f"is a {name}; send a CrossIndustryInvoice"):
        read_xml(other)


def test_element_in_a_foreign_namespace_is_outside_the_model() -> None:
    foreign = document().replace(
        b"<ram:BuyerReference>", b'<ram:BuyerReference xmlns:ram="urn:other">'
    )

    reading = read_xml(foreign)

    assert reading.content is not None
    assert "buyer_reference" not in reading.content
    assert reading.not_in_model[0].location.endswith("/?:BuyerReference")


@pytest.mark.parametrize("write", [write_cii, write_ubl])
@pytest.mark.parametrize("text", [None, "junk", "9" * 15])
def test_damaged_documents_are_read_or_refused(
    write: Callable[[Invoice, InvoiceTotals, InvoiceProfile], bytes], text: str | None
) -> None:
    root = etree.fromstring(write(full(), compute_totals(full()), PROFILES["EN16931"]))
    readable = 0
    for element in list(root.iter()):
        parent = element.getparent()
        if parent is None:
            continue
        place, kept = parent.index(element), element.text
        if text is None or not kept:
            parent.remove(element)
        else:
            element.text = text

        readable += read_xml(etree.tostring(root)).content is not None

        element.text = kept
        parent.insert(place, element)
    assert readable > 100


@pytest.mark.parametrize("write", [write_cii, write_ubl])
def test_misfits_in_many_lines_take_linear_time(
    write: Callable[[Invoice, InvoiceTotals, InvoiceProfile], bytes],
) -> None:
    rounded = PriceDetails(net=Decimal("50.00000001"))

    def read(count: int) -> float:
        """Read so many lines with misfits; return the processor time that it takes."""
        sent = minimal(lines=tuple(line(n, price=rounded) for n in range(1, count + 1)))
        many = write(sent, compute_totals(sent), PROFILES["EN16931"])
        many = many.replace(b">100.00<", b">9.00<").replace(b"H87", b"piece")
        begun_s = process_time()
        reading = read_xml(many)
        taken_s = process_time() - begun_s
        assert 100 < len(reading.not_in_model) <= 300
        return taken_s

    # Quadratic time would be 225 times as much.
    assert read(6_000) < 75 * read(400)


def test_many_unknown_elements_take_linear_time() -> None:
    many = document().replace(
        b"<ram:BuyerReference>", b"<ram:Odd>x</ram:Odd>" * 50_000 + b"<ram:BuyerReference>"
    )

    assert len(read_xml(many).not_in_model) == 100
