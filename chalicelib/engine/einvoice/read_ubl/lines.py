"""A line of an invoice or a credit note, read from UBL."""

from chalicelib.engine.einvoice.model import Attribute, Classification, Item, Line, Price
from chalicelib.engine.einvoice.read_ubl.values import (
    allowance_charges,
    identifier,
    invoice_period,
    tax_category,
)
from chalicelib.engine.einvoice.xmlread import Part


def line(part: Part, quantity: str) -> Line:
    """Return BG-25, with the element that its quantity has."""
    item = part.need("cac:Item")
    count = part.need(quantity)
    part.pass_over("cac:DocumentReference/cbc:DocumentTypeCode")
    return Line(
        id=part.need_text("cbc:ID"),
        note=part.text("cbc:Note"),
        object_identifier=identifier(part, "cac:DocumentReference/cbc:ID"),
        quantity=part.need_number(quantity),
        unit=count.attribute("unitCode") or count.lack("@unitCode"),
        net_amount=part.number("cbc:LineExtensionAmount"),
        order_line_reference=part.text("cac:OrderLineReference/cbc:LineID"),
        accounting_reference=part.text("cbc:AccountingCost"),
        period=invoice_period(part),
        allowances=tuple(each for _, each in allowance_charges(part, charges=False)),
        charges=tuple(each for _, each in allowance_charges(part, charges=True)),
        price=_price(part.need("cac:Price")),
        vat=tax_category(item, "cac:ClassifiedTaxCategory"),
        item=_item(item),
    )


def _price(part: Part) -> Price:
    base = part.one("cbc:BaseQuantity")
    part.pass_over("cac:AllowanceCharge/cbc:ChargeIndicator")
    return Price(
        net=part.need_number("cbc:PriceAmount"),
        gross=part.number("cac:AllowanceCharge/cbc:BaseAmount"),
        discount=part.number("cac:AllowanceCharge/cbc:Amount"),
        base_quantity=part.number("cbc:BaseQuantity"),
        base_unit=base.attribute("unitCode") if base else None,
    )


def _item(part: Part) -> Item:
    return Item(
        name=part.need_text("cbc:Name"),
        description=part.text("cbc:Description"),
        seller_id=part.text("cac:SellersItemIdentification/cbc:ID"),
        buyer_id=part.text("cac:BuyersItemIdentification/cbc:ID"),
        standard_id=identifier(part, "cac:StandardItemIdentification/cbc:ID"),
        classifications=tuple(
            Classification(
                id=code.value or code.lack("."),
                scheme=code.attribute("listID") or code.lack("@listID"),
                version=code.attribute("listVersionID"),
            )
            for code in part.all("cac:CommodityClassification/cbc:ItemClassificationCode")
        ),
        origin_country=part.code("cac:OriginCountry/cbc:IdentificationCode"),
        attributes=tuple(
            Attribute(name=found.need_text("cbc:Name"), value=found.need_text("cbc:Value"))
            for found in part.all("cac:AdditionalItemProperty")
        ),
    )
