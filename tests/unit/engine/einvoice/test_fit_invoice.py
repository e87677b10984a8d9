"""Received values that the model does not hold as they are: each is named, the rest is returned."""

from decimal import Decimal
from typing import Any

import pytest

from chalicelib.engine.einvoice.model import Invoice, PriceDetails
from chalicelib.engine.einvoice.profiles import PROFILES
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.read_xml import XmlInvoice, read_xml
from chalicelib.engine.einvoice.rules.check import read_and_check
from chalicelib.engine.einvoice.totals import compute_totals
from chalicelib.engine.einvoice.write_cii import write_cii
from chalicelib.engine.einvoice.write_json import invoice_json
from chalicelib.engine.einvoice.write_ubl import write_ubl
from tests.builders.invoices.models import full, line, minimal

LINE = "/rsm:CrossIndustryInvoice/rsm:SupplyChainTradeTransaction"
LINE += "/ram:IncludedSupplyChainTradeLineItem"


def received(old: bytes, new: bytes, invoice: Invoice | None = None) -> XmlInvoice:
    sent = invoice or minimal()
    document = write_cii(sent, compute_totals(sent), PROFILES["EN16931"])
    assert old in document
    return read_xml(document.replace(old, new))


def content(reading: XmlInvoice) -> dict[str, Any]:
    assert reading.content is not None, reading.problem
    return reading.content


def remarks(reading: XmlInvoice) -> list[tuple[str, str]]:
    return [(each.location, each.message) for each in reading.not_in_model]


@pytest.mark.parametrize(
    ("text", "read"),
    [("50.00000000000", "50"), ("50.0", "50.0"), ("+050.50", "50.50"), (".5000000", "0.5")],
)
def test_zeros_behind_the_point_say_nothing(text: str, read: str) -> None:
    reading = received(b"<ram:ChargeAmount>50.00<", b"<ram:ChargeAmount>%s<" % text.encode())

    assert content(reading)["lines"][0]["price"]["net"] == read
    assert not [each for each in reading.not_in_model if "price.net" in each.message]


def test_corrected_invoice_without_the_one_that_it_corrects_is_named() -> None:
    reading = received(b">380<", b">384<")

    assert content(reading)["type_code"] == "384"
    assert (
        "/rsm:CrossIndustryInvoice/rsm:ExchangedDocument/ram:TypeCode",
        "invoice.preceding_invoices is absent, which the type_code 384 needs",
    ) in remarks(reading)


def test_split_payment_without_a_rate_is_named() -> None:
    rate = b"<ram:RateApplicablePercent>19</ram:RateApplicablePercent>"
    reading = received(b">S</ram:CategoryCode>" + rate, b">B</ram:CategoryCode>")

    assert reading.not_in_model[0].path == "invoice.lines[0].vat.rate"
    assert "is absent, which the category B needs" in reading.not_in_model[0].message


@pytest.mark.parametrize("syntax", ["cii", "ubl"])
def test_base_quantity_of_0_is_left_out_and_named(syntax: str) -> None:
    price = PriceDetails(net=Decimal("50.00"), base_quantity=Decimal(8))
    sent = minimal(lines=(line(price=price),))
    write = {"cii": write_cii, "ubl": write_ubl}[syntax]
    document = write(sent, compute_totals(sent), PROFILES["EN16931"])

    reading = read_xml(document.replace(b">8</", b">0.0</"))

    assert "base_quantity" not in content(reading)["lines"][0]["price"]
    assert "is 0, by which nothing can be divided, and is left out" in remarks(reading)[0][1]


def test_why_an_invoice_is_incomplete_is_told_first() -> None:
    reading = received(b">EUR<", b">euro<", minimal(lines=(line(quantity=Decimal("0.12345678")),)))

    assert "currency" not in content(reading)
    paths = [each.path for each in reading.not_in_model]
    assert (paths[0], paths[-1]) == ("invoice.currency", "invoice.lines[0].quantity")


def test_kosovo_is_a_country() -> None:
    reading = received(b">DE</ram:CountryID>", b">1A</ram:CountryID>")

    assert content(reading)["seller"]["address"]["country"] == "1A"
    invoice, totals = read_and_check(content(reading), PROFILES["EN16931"], "ubl", "invoice")
    assert b">1A</cbc:IdentificationCode>" in write_ubl(invoice, totals, PROFILES["EN16931"])


@pytest.mark.parametrize("code", ["71", "80", "389"])
def test_document_types_of_two_digits_are_read(code: str) -> None:
    reading = received(b">380<", b">%s<" % code.encode())

    assert content(reading)["type_code"] == code
    assert reading.not_in_model == ()


def test_more_decimals_than_the_model_has_are_rounded_and_named() -> None:
    reading = received(b"<ram:ChargeAmount>50.00<", b"<ram:ChargeAmount>50.00000049<")

    agreement = f"{LINE}/ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice"
    assert content(reading)["lines"][0]["price"]["net"] == "50"
    assert remarks(reading) == [
        (
            f"{agreement}/ram:ChargeAmount",
            (
                "invoice.lines[0].price.net has more than 6 decimal places and is rounded "
                "(50.00000049)"
            ),
        )
    ]


@pytest.mark.parametrize(
    ("old", "new", "name", "kept", "location"),
    [
        (b">RE-2026-001<", b">%s<" % (b"R" * 201), "number", "R" * 200, "ExchangedDocument/ram:ID"),
        (b"</ram:DueDateD", b"</ram:DueDateD", "due_date", "2026-12-20", None),
        (b'"102">20261220', b'"102">2026122', "due_date", None, "udt:DateTimeString"),
        (b">58<", b">Cash<", "payment.means_code", None, "ram:TypeCode"),
        (b' unitCode="H87"', b' unitCode="piece"', "lines.0.unit", None, "/@unitCode"),
    ],
)
def test_other_values_are_cut_or_left_out(
    old: bytes, new: bytes, name: str, kept: str | None, location: str | None
) -> None:
    reading = received(old, new)

    value: Any = content(reading)
    for step in name.split("."):
        value = value[int(step)] if step.isdigit() else value.get(step)
    assert value == kept
    assert [where.endswith(location or "") for where, _ in remarks(reading)][:1] == (
        [True] if location else []
    )
    assert all(where.startswith("/rsm:") for where, _ in remarks(reading))


def test_entries_beyond_the_models_number_are_named() -> None:
    note = b"<ram:IncludedNote><ram:Content>n</ram:Content></ram:IncludedNote>"
    reading = received(b"</rsm:ExchangedDocument>", note * 101 + b"</rsm:ExchangedDocument>")

    assert len(content(reading)["notes"]) == 100
    assert "invoice.notes has 101 entries, of which 100 are kept" in remarks(reading)[0][1]


def test_a_net_amount_that_does_not_follow_from_the_price_is_left_out_and_named() -> None:
    sums = b"<ram:LineTotalAmount>100.00<"
    reading = received(sums, b"<ram:LineTotalAmount>90.00<")

    assert "net_amount" not in content(reading)["lines"][0]
    where, message = remarks(reading)[0]
    assert where.startswith(f"{LINE}/ram:SpecifiedLineTradeSettlement/")
    assert "the document has 90.00; from price, quantity and adjustments follows 100.00" in message


def test_a_net_amount_within_the_tolerance_is_returned() -> None:
    reading = received(b"<ram:LineTotalAmount>100.00<", b"<ram:LineTotalAmount>100.02<")

    assert content(reading)["lines"][0]["net_amount"] == "100.02"
    invoice = read_invoice(content(reading), "invoice")
    assert str(compute_totals(invoice).line_total) == "100.02"


def test_what_is_returned_is_accepted_by_the_reader_of_requests() -> None:
    sent = full()
    document = write_cii(sent, compute_totals(sent), PROFILES["EN16931"])
    reading = read_xml(document.replace(b".00<", b".0000000000<"))

    assert invoice_json(read_invoice(content(reading), "invoice")) == content(reading)


@pytest.mark.parametrize("syntax", ["cii", "ubl"])
def test_a_surcharge_on_the_price_is_no_discount(syntax: str) -> None:
    price = PriceDetails(net=Decimal("50.00"), gross=Decimal("55.00"), discount=Decimal("5.00"))
    sent = minimal(lines=(line(price=price),))
    write = {"cii": write_cii, "ubl": write_ubl}[syntax]
    document = write(sent, compute_totals(sent), PROFILES["EN16931"])

    reading = read_xml(document.replace(b">false<", b">true<"))

    assert "discount" not in content(reading)["lines"][0]["price"]
    ((where, _),) = remarks(reading)
    assert where.endswith(
        {"cii": "AppliedTradeAllowanceCharge", "ubl": "cac:AllowanceCharge"}[syntax]
    )


@pytest.mark.parametrize(
    ("old", "new", "name"),
    [
        (b"<ram:ChargeTotalAmount>5.50<", b"<ram:ChargeTotalAmount>5.51<", "ram:ChargeTotalAmount"),
        (b"AllowanceTotalAmount>10.00<", b"AllowanceTotalAmount>9.00<", "ram:AllowanceTotalAmount"),
        (
            b'<ram:TaxTotalAmount currencyID="EUR">',
            b'<ram:TaxTotalAmount currencyID="EUR">1',
            "ram:TaxTotalAmount",
        ),
        (b"<ram:CalculatedAmount>", b"<ram:CalculatedAmount>1", "ram:CalculatedAmount"),
        (
            b"</ram:TypeCode><ram:BasisAmount>",
            b"</ram:TypeCode><ram:BasisAmount>1",
            "ram:BasisAmount",
        ),
    ],
)
def test_each_total_that_differs_is_named(old: bytes, new: bytes, name: str) -> None:
    sent = full()
    document = write_cii(sent, compute_totals(sent), PROFILES["EN16931"])
    assert old in document

    reading = read_xml(document.replace(old, new, 1))

    assert [where.rpartition("/")[2].partition("[")[0] for where, _ in remarks(reading)] == [name]


@pytest.mark.parametrize("syntax", ["cii", "ubl"])
def test_totals_of_ubl_and_cii_are_compared_alike(syntax: str) -> None:
    write = {"cii": write_cii, "ubl": write_ubl}[syntax]

    assert read_xml(write(full(), compute_totals(full()), PROFILES["EN16931"])).not_in_model == ()


def test_base_quantity_of_the_gross_price_alone_is_read() -> None:
    price = PriceDetails(net=Decimal(9), gross=Decimal(9), base_quantity=Decimal(3))
    sent = minimal(lines=(line(price=price),))
    document = write_cii(sent, compute_totals(sent), PROFILES["EN16931"])
    base = b"<ram:BasisQuantity>3</ram:BasisQuantity>"
    head, _, tail = document.rpartition(base)

    reading = read_xml(head + tail)

    assert content(reading)["lines"][0]["price"]["base_quantity"] == "3"
    assert reading.not_in_model == ()
