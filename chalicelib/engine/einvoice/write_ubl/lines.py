"""UBL line of an invoice or a credit note."""

from decimal import Decimal
from typing import Final

from chalicelib.engine.einvoice.model import InvoiceItem, InvoiceLine, PriceDetails, Vat
from chalicelib.engine.einvoice.write_ubl.references import invoiced_object_reference
from chalicelib.engine.einvoice.write_ubl.values import (
    allowance_charge,
    identifier,
    invoice_period,
    money,
    tax_category,
)
from chalicelib.engine.einvoice.xml_writer import XmlNode, format_number, group, leaf

_ONE: Final = Decimal(1)
_ZERO: Final = Decimal(0)


def line_item(
    line: InvoiceLine, net_amount: Decimal, currency: str, *, is_credit_note: bool
) -> XmlNode | None:
    """Return a line with its computed net amount (BG-25)."""
    return group(
        "cac:CreditNoteLine" if is_credit_note else "cac:InvoiceLine",
        leaf("cbc:ID", line.id),
        leaf("cbc:Note", line.note),
        leaf(
            "cbc:CreditedQuantity" if is_credit_note else "cbc:InvoicedQuantity",
            format_number(line.quantity),
            unitCode=line.unit,
        ),
        money("cbc:LineExtensionAmount", net_amount, currency),
        leaf("cbc:AccountingCost", line.accounting_reference),
        invoice_period(line.period),
        group("cac:OrderLineReference", leaf("cbc:LineID", line.order_line_reference)),
        invoiced_object_reference("cac:DocumentReference", line.object_identifier),
        *(allowance_charge(allowance, currency, charge=False) for allowance in line.allowances),
        *(allowance_charge(charge, currency, charge=True) for charge in line.charges),
        _item(line.item, line.vat),
        _price(line.price, currency),
    )


def _item(item: InvoiceItem, vat: Vat) -> XmlNode | None:
    return group(
        "cac:Item",
        leaf("cbc:Description", item.description),
        leaf("cbc:Name", item.name),
        group("cac:BuyersItemIdentification", leaf("cbc:ID", item.buyer_id)),
        group("cac:SellersItemIdentification", leaf("cbc:ID", item.seller_id)),
        group("cac:StandardItemIdentification", identifier("cbc:ID", item.standard_id)),
        group("cac:OriginCountry", leaf("cbc:IdentificationCode", item.origin_country)),
        *(
            group(
                "cac:CommodityClassification",
                leaf(
                    "cbc:ItemClassificationCode",
                    entry.id,
                    listID=entry.scheme,
                    listVersionID=entry.version,
                ),
            )
            for entry in item.classifications
        ),
        tax_category("cac:ClassifiedTaxCategory", vat),
        *(
            group(
                "cac:AdditionalItemProperty",
                leaf("cbc:Name", attribute.name),
                leaf("cbc:Value", attribute.value),
            )
            for attribute in item.attributes
        ),
    )


def _price(price: PriceDetails, currency: str) -> XmlNode | None:
    return group(
        "cac:Price",
        leaf("cbc:PriceAmount", format_number(price.net), currencyID=currency),
        _base_quantity(price),
        _price_discount(price, currency),
    )


def _base_quantity(price: PriceDetails) -> XmlNode | None:
    if price.base_quantity is None and price.base_unit is None:
        return None
    return leaf(
        "cbc:BaseQuantity", format_number(price.base_quantity or _ONE), unitCode=price.base_unit
    )


def _price_discount(price: PriceDetails, currency: str) -> XmlNode | None:
    """Return the discount and the gross price (BT-147, BT-148).

    UBL has the gross price only inside an allowance, whose amount is required: no discount is 0.
    """
    if price.gross is None and price.discount is None:
        return None
    return group(
        "cac:AllowanceCharge",
        leaf("cbc:ChargeIndicator", "false"),
        leaf("cbc:Amount", format_number(price.discount or _ZERO), currencyID=currency),
        leaf("cbc:BaseAmount", format_number(price.gross), currencyID=currency),
    )
