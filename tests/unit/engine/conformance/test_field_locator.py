"""Locations in the XML are mapped to fields of the caller's invoice."""

from dataclasses import dataclass

import pytest

from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths

HEAD = "/rsm:CrossIndustryInvoice[1]/rsm:SupplyChainTradeTransaction[1]"
SETTLEMENT = f"{HEAD}/ram:ApplicableHeaderTradeSettlement[1]"
LINE = f"{HEAD}/ram:IncludedSupplyChainTradeLineItem[2]"
SELLER = f"{HEAD}/ram:ApplicableHeaderTradeAgreement[1]/ram:SellerTradeParty[1]"
ITEM = "/cn:CreditNote[1]/cac:CreditNoteLine[1]/cac:Item[1]"
LINE_SETTLEMENT = f"{LINE}/ram:SpecifiedLineTradeSettlement[1]"


@dataclass(frozen=True)
class Line:
    allowances: tuple[str, ...] = ()


@dataclass(frozen=True)
class Invoice:
    lines: tuple[Line, ...] = (Line(), Line(allowances=("a",)))
    allowances: tuple[str, ...] = ("a", "b")


@pytest.mark.parametrize(
    ("location", "path"),
    [
        (
            f"{LINE_SETTLEMENT}/ram:ApplicableTradeTax[1]/ram:CategoryCode[1]",
            "lines[1].vat.category",
        ),
        (f"{LINE_SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge[1]", "lines[1].allowances[0]"),
        (
            f"{LINE_SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge[2]/ram:Reason[1]",
            "lines[1].charges[0].reason",
        ),
        (f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge[2]", "allowances[1]"),
        (f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge[3]", "charges[0]"),
        (f"{LINE}/ram:Unknown[1]/ram:Name[1]", "lines[1]"),
        (
            f"{LINE}/ram:SpecifiedLineTradeDelivery[1]/ram:BilledQuantity[1]/@unitCode",
            "lines[1].unit",
        ),
        (
            f"{SELLER}/ram:URIUniversalCommunication[1]/ram:URIID[1]/@schemeID",
            "seller.electronic_address.scheme",
        ),
        (
            f"{LINE}/ram:SpecifiedTradeProduct[1]/ram:GlobalID[1]/@schemeID",
            "lines[1].item.standard_id.scheme",
        ),
        (
            f"{LINE}/ram:SpecifiedLineTradeAgreement[1]/ram:NetPriceProductTradePrice[1]/ram:BasisQuantity[1]/@unitCode",
            "lines[1].price.base_unit",
        ),
        (
            f"{ITEM}/cac:StandardItemIdentification[1]/cbc:ID[1]/@schemeID",
            "lines[0].item.standard_id.scheme",
        ),
        (
            f"{SELLER}/ram:PostalTradeAddress[1]/ram:CountryID[1]",
            "seller.address.country",
        ),
        (f"{SETTLEMENT}/ram:InvoiceCurrencyCode[1]", "currency"),
        (
            "/ubl:Invoice[1]/cac:InvoiceLine[3]/cac:Price[1]/cbc:PriceAmount[1]",
            "lines[2].price.net",
        ),
        (
            f"{ITEM}/cac:ClassifiedTaxCategory[1]/cbc:Percent[1]",
            "lines[0].vat.rate",
        ),
        (
            "/ubl:Invoice[1]/cac:AccountingCustomerParty[1]/cac:Party[1]/cbc:EndpointID[1]",
            "buyer.electronic_address",
        ),
        ("/ubl:Invoice[1]/cac:PaymentMeans[1]/cbc:PaymentDueDate[1]", "due_date"),
    ],
)
def test_xml_location_maps_to_a_field(location: str, path: str) -> None:
    assert (
        InvoiceFieldPaths.of(Invoice(), "data.billing").json_path(location)
        == f"data.billing.{path}"
    )


@pytest.mark.parametrize("location", ["/rsm:CrossIndustryInvoice[1]", HEAD, SETTLEMENT, "root", ""])
def test_location_of_the_whole_invoice_maps_to_no_field(location: str) -> None:
    assert InvoiceFieldPaths.of(Invoice(), "invoice").json_path(location) is None
