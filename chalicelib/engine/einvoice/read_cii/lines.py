"""CII line reader."""

from decimal import Decimal

from chalicelib.engine.einvoice.model import (
    Identifier,
    InvoiceItem,
    InvoiceLine,
    ItemAttribute,
    ItemClassification,
    PriceDetails,
)
from chalicelib.engine.einvoice.read_cii.values import (
    allowance_charges,
    billing_period,
    identifier,
    trade_tax,
)
from chalicelib.engine.einvoice.xml_reader import ElementReader

# Document type code of UNTDID 1001.
INVOICED_OBJECT_CODE = "130"


def invoice_line(element: ElementReader) -> InvoiceLine:
    """Return a line (BG-25)."""
    agreement = element.require("ram:SpecifiedLineTradeAgreement")
    settlement = element.require("ram:SpecifiedLineTradeSettlement")
    quantity = element.require("ram:SpecifiedLineTradeDelivery/ram:BilledQuantity")
    return InvoiceLine(
        id=element.require_text("ram:AssociatedDocumentLineDocument/ram:LineID"),
        note=element.text("ram:AssociatedDocumentLineDocument/ram:IncludedNote/ram:Content"),
        object_identifier=object_identifier(settlement),
        quantity=element.require_number("ram:SpecifiedLineTradeDelivery/ram:BilledQuantity"),
        unit=quantity.attribute("unitCode") or quantity.raise_missing("@unitCode"),
        net_amount=settlement.number(
            "ram:SpecifiedTradeSettlementLineMonetarySummation/ram:LineTotalAmount"
        ),
        order_line_reference=agreement.text("ram:BuyerOrderReferencedDocument/ram:LineID"),
        accounting_reference=settlement.text(
            "ram:ReceivableSpecifiedTradeAccountingAccount/ram:ID"
        ),
        period=billing_period(settlement),
        allowances=tuple(each for _, each in allowance_charges(settlement, charges=False)),
        charges=tuple(each for _, each in allowance_charges(settlement, charges=True)),
        price=_price(agreement),
        vat=trade_tax(settlement, "ram:ApplicableTradeTax"),
        item=_item(element.require("ram:SpecifiedTradeProduct")),
    )


def object_identifier(element: ElementReader) -> Identifier | None:
    """Return the identifier of the invoiced object (BT-18, BT-128)."""
    for document in element.find_all("ram:AdditionalReferencedDocument"):
        if document.has_code("ram:TypeCode", INVOICED_OBJECT_CODE):
            return Identifier(
                id=document.require_text("ram:IssuerAssignedID"),
                scheme=document.code("ram:ReferenceTypeCode"),
            )
    return None


def _price(agreement: ElementReader) -> PriceDetails:
    net = agreement.require("ram:NetPriceProductTradePrice")
    gross = agreement.find("ram:GrossPriceProductTradePrice")
    # BT-149 stands with the net price or, in some documents, with the gross price alone.
    base = net.find("ram:BasisQuantity") or (gross.find("ram:BasisQuantity") if gross else None)
    if gross is not None:
        gross.mark_read("ram:BasisQuantity")
    return PriceDetails(
        net=net.require_number("ram:ChargeAmount"),
        gross=gross.number("ram:ChargeAmount") if gross else None,
        discount=_discount(gross) if gross else None,
        base_quantity=base.read_or_note(base.own_divisor) if base else None,
        base_unit=base.attribute("unitCode") if base else None,
    )


def _discount(gross: ElementReader) -> Decimal | None:
    """Return BT-147; a surcharge, for which the model has no place, stays unread."""
    for part in gross.find_all("ram:AppliedTradeAllowanceCharge"):
        if part.peek("ram:ChargeIndicator/udt:Indicator") not in {"true", "1"}:
            part.mark_read("ram:ChargeIndicator")
            return part.number("ram:ActualAmount")
    return None


def _item(product: ElementReader) -> InvoiceItem:
    return InvoiceItem(
        name=product.require_text("ram:Name"),
        description=product.text("ram:Description"),
        seller_id=product.text("ram:SellerAssignedID"),
        buyer_id=product.text("ram:BuyerAssignedID"),
        standard_id=identifier(product, "ram:GlobalID"),
        classifications=tuple(
            ItemClassification(
                id=code.own_text or code.raise_missing("."),
                scheme=code.attribute("listID") or code.raise_missing("@listID"),
                version=code.attribute("listVersionID"),
            )
            for code in product.find_all("ram:DesignatedProductClassification/ram:ClassCode")
        ),
        origin_country=product.code("ram:OriginTradeCountry/ram:ID"),
        attributes=tuple(
            ItemAttribute(
                name=characteristic.require_text("ram:Description"),
                value=characteristic.require_text("ram:Value"),
            )
            for characteristic in product.find_all("ram:ApplicableProductCharacteristic")
        ),
    )
