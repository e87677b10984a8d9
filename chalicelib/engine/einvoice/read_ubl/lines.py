"""UBL line reader, for an invoice or a credit note."""

from chalicelib.engine.einvoice.model import (
    InvoiceItem,
    InvoiceLine,
    ItemAttribute,
    ItemClassification,
    PriceDetails,
)
from chalicelib.engine.einvoice.read_ubl.values import (
    allowance_charges,
    identifier,
    invoice_period,
    tax_category,
)
from chalicelib.engine.einvoice.xml_reader import ElementReader


def invoice_line(element: ElementReader, quantity_path: str) -> InvoiceLine:
    """Return a line (BG-25); `quantity_path` differs between invoices and credit notes."""
    item = element.require("cac:Item")
    quantity = element.require(quantity_path)
    # The type code only says that the reference is the invoiced object (BT-128).
    element.mark_read("cac:DocumentReference/cbc:DocumentTypeCode")
    return InvoiceLine(
        id=element.require_text("cbc:ID"),
        note=element.text("cbc:Note"),
        object_identifier=identifier(element, "cac:DocumentReference/cbc:ID"),
        quantity=element.require_number(quantity_path),
        unit=quantity.attribute("unitCode") or quantity.raise_missing("@unitCode"),
        net_amount=element.number("cbc:LineExtensionAmount"),
        order_line_reference=element.text("cac:OrderLineReference/cbc:LineID"),
        accounting_reference=element.text("cbc:AccountingCost"),
        period=invoice_period(element),
        allowances=tuple(each for _, each in allowance_charges(element, charges=False)),
        charges=tuple(each for _, each in allowance_charges(element, charges=True)),
        price=_price(element.require("cac:Price")),
        vat=tax_category(item, "cac:ClassifiedTaxCategory"),
        item=_item(item),
    )


def _price(element: ElementReader) -> PriceDetails:
    base = element.find("cbc:BaseQuantity")
    allowance = element.find("cac:AllowanceCharge")
    # The model has no place for a surcharge, which stays unread.
    if allowance and allowance.peek("cbc:ChargeIndicator") in {"true", "1"}:
        allowance = None
    if allowance:
        allowance.mark_read("cbc:ChargeIndicator")
    return PriceDetails(
        net=element.require_number("cbc:PriceAmount"),
        gross=allowance.number("cbc:BaseAmount") if allowance else None,
        discount=allowance.number("cbc:Amount") if allowance else None,
        base_quantity=base.read_or_note(base.own_divisor) if base else None,
        base_unit=base.attribute("unitCode") if base else None,
    )


def _item(element: ElementReader) -> InvoiceItem:
    return InvoiceItem(
        name=element.require_text("cbc:Name"),
        description=element.text("cbc:Description"),
        seller_id=element.text("cac:SellersItemIdentification/cbc:ID"),
        buyer_id=element.text("cac:BuyersItemIdentification/cbc:ID"),
        standard_id=identifier(element, "cac:StandardItemIdentification/cbc:ID"),
        classifications=tuple(
            ItemClassification(
                id=code.own_text or code.raise_missing("."),
                scheme=code.attribute("listID") or code.raise_missing("@listID"),
                version=code.attribute("listVersionID"),
            )
            for code in element.find_all("cac:CommodityClassification/cbc:ItemClassificationCode")
        ),
        origin_country=element.code("cac:OriginCountry/cbc:IdentificationCode"),
        attributes=tuple(
            ItemAttribute(
                name=item_property.require_text("cbc:Name"),
                value=item_property.require_text("cbc:Value"),
            )
            for item_property in element.find_all("cac:AdditionalItemProperty")
        ),
    )
