"""A line of an invoice, read from CII."""

from chalicelib.engine.einvoice.model import (
    Attribute,
    Classification,
    Identifier,
    Item,
    Line,
    Price,
)
from chalicelib.engine.einvoice.read_cii.values import (
    allowance_charges,
    billing_period,
    identifier,
    trade_tax,
)
from chalicelib.engine.einvoice.xmlread import Part

INVOICED_OBJECT = "130"


def line(part: Part) -> Line:
    """Return BG-25."""
    agreement = part.need("ram:SpecifiedLineTradeAgreement")
    settlement = part.need("ram:SpecifiedLineTradeSettlement")
    quantity = part.need("ram:SpecifiedLineTradeDelivery/ram:BilledQuantity")
    return Line(
        id=part.need_text("ram:AssociatedDocumentLineDocument/ram:LineID"),
        note=part.text("ram:AssociatedDocumentLineDocument/ram:IncludedNote/ram:Content"),
        object_identifier=object_identifier(settlement),
        quantity=part.need_number("ram:SpecifiedLineTradeDelivery/ram:BilledQuantity"),
        unit=quantity.attribute("unitCode") or quantity.lack("@unitCode"),
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
        item=_item(part.need("ram:SpecifiedTradeProduct")),
    )


def object_identifier(part: Part) -> Identifier | None:
    """Return what is invoiced (BT-18, BT-128)."""
    for document in part.all("ram:AdditionalReferencedDocument"):
        if document.has("ram:TypeCode", INVOICED_OBJECT):
            return Identifier(
                id=document.need_text("ram:IssuerAssignedID"),
                scheme=document.code("ram:ReferenceTypeCode"),
            )
    return None


def _price(agreement: Part) -> Price:
    net = agreement.need("ram:NetPriceProductTradePrice")
    base = net.one("ram:BasisQuantity")
    gross = agreement.one("ram:GrossPriceProductTradePrice")
    if gross is not None:
        gross.pass_over("ram:BasisQuantity", "ram:AppliedTradeAllowanceCharge/ram:ChargeIndicator")
    return Price(
        net=net.need_number("ram:ChargeAmount"),
        gross=gross.number("ram:ChargeAmount") if gross else None,
        discount=gross.number("ram:AppliedTradeAllowanceCharge/ram:ActualAmount")
        if gross
        else None,
        base_quantity=net.number("ram:BasisQuantity"),
        base_unit=base.attribute("unitCode") if base else None,
    )


def _item(product: Part) -> Item:
    return Item(
        name=product.need_text("ram:Name"),
        description=product.text("ram:Description"),
        seller_id=product.text("ram:SellerAssignedID"),
        buyer_id=product.text("ram:BuyerAssignedID"),
        standard_id=identifier(product, "ram:GlobalID"),
        classifications=tuple(
            Classification(
                id=code.value or code.lack("."),
                scheme=code.attribute("listID") or code.lack("@listID"),
                version=code.attribute("listVersionID"),
            )
            for code in product.all("ram:DesignatedProductClassification/ram:ClassCode")
        ),
        origin_country=product.code("ram:OriginTradeCountry/ram:ID"),
        attributes=tuple(
            Attribute(name=found.need_text("ram:Description"), value=found.need_text("ram:Value"))
            for found in product.all("ram:ApplicableProductCharacteristic")
        ),
    )
