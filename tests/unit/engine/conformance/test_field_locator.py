"""Locations in the XML are mapped to fields of the caller's invoice."""

import pytest

from chalicelib.engine.conformance.invoice_field_paths import InvoiceFieldPaths
from chalicelib.engine.einvoice.read_json import read_invoice
from tests.builders.invoices.invoice_json import invoice_json

HEAD = "/rsm:CrossIndustryInvoice[1]/rsm:SupplyChainTradeTransaction[1]"
SETTLEMENT = f"{HEAD}/ram:ApplicableHeaderTradeSettlement[1]"
LINE = f"{HEAD}/ram:IncludedSupplyChainTradeLineItem[2]"
SELLER = f"{HEAD}/ram:ApplicableHeaderTradeAgreement[1]/ram:SellerTradeParty[1]"
DOCUMENT = f"{HEAD}/ram:ApplicableHeaderTradeAgreement[1]/ram:AdditionalReferencedDocument"
MEANS = f"{SETTLEMENT}/ram:SpecifiedTradeSettlementPaymentMeans"
UBL_DOCUMENT = "/ubl:Invoice[1]/cac:AdditionalDocumentReference"
UBL_SELLER = "/ubl:Invoice[1]/cac:AccountingSupplierParty[1]/cac:Party[1]"
ITEM = "/cn:CreditNote[1]/cac:CreditNoteLine[1]/cac:Item[1]"
LINE_SETTLEMENT = f"{LINE}/ram:SpecifiedLineTradeSettlement[1]"


def paths(root: str) -> InvoiceFieldPaths:
    document = invoice_json()
    adjustment = {"amount": "1.00", "reason": "Rounding", "vat": document["lines"][0]["vat"]}
    line = document["lines"][0]
    transfer = {"account_id": "DE89370400440532013000"}
    changes = {
        "lines": [line | {"id": "1"}, line | {"id": "2", "allowances": [{"amount": "1.00"}]}],
        "allowances": [adjustment, adjustment],
        "supporting_documents": [{"id": "A-1"}, {"id": "A-2"}],
        "tender_reference": "T-1",
        "invoiced_object": {"id": "O-1"},
        "project_reference": "P-1",
        "payment": {"means_code": "58", "credit_transfers": [transfer, transfer]},
        "seller": document["seller"] | {"vat_id": "DE123456789", "tax_number": "12/345"},
    }
    return InvoiceFieldPaths.of(read_invoice(invoice_json(changes), root), root)


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
        (f"{DOCUMENT}[2]/ram:URIID[1]", "supporting_documents[1].url"),
        (
            f"{DOCUMENT}[1]/ram:AttachmentBinaryObject[1]/@mimeCode",
            "supporting_documents[0].content_type",
        ),
        (f"{DOCUMENT}[3]/ram:IssuerAssignedID[1]", "tender_reference"),
        (f"{DOCUMENT}[4]", "invoiced_object"),
        (f"{UBL_DOCUMENT}[2]/cbc:ID[1]", "supporting_documents[1].id"),
        (f"{UBL_DOCUMENT}[3]/cbc:ID[1]", "invoiced_object"),
        (f"{UBL_DOCUMENT}[4]", "project_reference"),
        (f"{SELLER}/ram:SpecifiedTaxRegistration[1]/ram:ID[1]", "seller.vat_id"),
        (f"{SELLER}/ram:SpecifiedTaxRegistration[2]/ram:ID[1]", "seller.tax_number"),
        (f"{UBL_SELLER}/cac:PartyTaxScheme[2]/cbc:CompanyID[1]", "seller.tax_number"),
        (
            f"{MEANS}[2]/ram:PayeePartyCreditorFinancialAccount[1]/ram:IBANID[1]",
            "payment.credit_transfers[1].account_id",
        ),
        (
            f"{MEANS}[1]/ram:PayerPartyDebtorFinancialAccount[1]",
            "payment.direct_debit.debited_account",
        ),
        (
            "/ubl:Invoice[1]/cac:PaymentMeans[2]/cac:PayeeFinancialAccount[1]/cbc:ID[1]",
            "payment.credit_transfers[1].account_id",
        ),
        (
            "/ubl:Invoice[1]/cac:PaymentMeans[1]/cac:PaymentMandate[1]/cbc:ID[1]",
            "payment.direct_debit.mandate_reference",
        ),
    ],
)
def test_xml_location_maps_to_a_field(location: str, path: str) -> None:
    assert paths("data.billing").json_path(location) == f"data.billing.{path}"


@pytest.mark.parametrize(
    ("location", "path"),
    [(f"{DOCUMENT}[1]", None), (f"{SELLER}/ram:SpecifiedTaxRegistration[1]", "invoice.seller")],
)
def test_field_that_only_the_invoice_tells_is_not_guessed(location: str, path: str | None) -> None:
    assert InvoiceFieldPaths("invoice").json_path(location) == path


@pytest.mark.parametrize("location", ["/rsm:CrossIndustryInvoice[1]", HEAD, SETTLEMENT, "root", ""])
def test_location_of_the_whole_invoice_maps_to_no_field(location: str) -> None:
    assert paths("invoice").json_path(location) is None
