"""CII line of an invoice."""

from decimal import Decimal
from typing import Final

from chalicelib.engine.einvoice.model import InvoiceItem, InvoiceLine, PriceDetails
from chalicelib.engine.einvoice.write_cii.agreement import invoiced_object_reference
from chalicelib.engine.einvoice.write_cii.values import (
    allowance_charge,
    billing_period,
    identifier,
    trade_tax,
)
from chalicelib.engine.einvoice.xml_writer import XmlNode, format_amount, format_number, group, leaf

_ONE: Final = Decimal(1)


def line_item(line: InvoiceLine, net_amount: Decimal) -> XmlNode | None:
    """Return a line with its computed net amount (BG-25)."""
    return group(
        "ram:IncludedSupplyChainTradeLineItem",
        group(
            "ram:AssociatedDocumentLineDocument",
            leaf("ram:LineID", line.id),
            group("ram:IncludedNote", leaf("ram:Content", line.note)),
        ),
        _product(line.item),
        _agreement(line),
        group(
            "ram:SpecifiedLineTradeDelivery",
            leaf("ram:BilledQuantity", format_number(line.quantity), unitCode=line.unit),
        ),
        _settlement(line, net_amount),
    )


def _product(item: InvoiceItem) -> XmlNode | None:
    return group(
        "ram:SpecifiedTradeProduct",
        identifier("ram:GlobalID", item.standard_id),
        leaf("ram:SellerAssignedID", item.seller_id),
        leaf("ram:BuyerAssignedID", item.buyer_id),
        leaf("ram:Name", item.name),
        leaf("ram:Description", item.description),
        *(
            group(
                "ram:ApplicableProductCharacteristic",
                leaf("ram:Description", attribute.name),
                leaf("ram:Value", attribute.value),
            )
            for attribute in item.attributes
        ),
        *(
            group(
                "ram:DesignatedProductClassification",
                leaf("ram:ClassCode", entry.id, listID=entry.scheme, listVersionID=entry.version),
            )
            for entry in item.classifications
        ),
        group("ram:OriginTradeCountry", leaf("ram:ID", item.origin_country)),
    )


def _agreement(line: InvoiceLine) -> XmlNode | None:
    return group(
        "ram:SpecifiedLineTradeAgreement",
        group("ram:BuyerOrderReferencedDocument", leaf("ram:LineID", line.order_line_reference)),
        _gross_price(line.price),
        group(
            "ram:NetPriceProductTradePrice",
            leaf("ram:ChargeAmount", format_number(line.price.net)),
            _base_quantity(line.price),
        ),
    )


def _gross_price(price: PriceDetails) -> XmlNode | None:
    if price.gross is None:
        return None
    return group(
        "ram:GrossPriceProductTradePrice",
        leaf("ram:ChargeAmount", format_number(price.gross)),
        _base_quantity(price),
        _price_discount(price.discount),
    )


def _price_discount(discount: Decimal | None) -> XmlNode | None:
    if discount is None:
        return None
    return group(
        "ram:AppliedTradeAllowanceCharge",
        group("ram:ChargeIndicator", leaf("udt:Indicator", "false")),
        leaf("ram:ActualAmount", format_number(discount)),
    )


def _base_quantity(price: PriceDetails) -> XmlNode | None:
    if price.base_quantity is None and price.base_unit is None:
        return None
    return leaf(
        "ram:BasisQuantity", format_number(price.base_quantity or _ONE), unitCode=price.base_unit
    )


def _settlement(line: InvoiceLine, net_amount: Decimal) -> XmlNode | None:
    return group(
        "ram:SpecifiedLineTradeSettlement",
        trade_tax("ram:ApplicableTradeTax", line.vat),
        billing_period(line.period),
        *(allowance_charge(allowance, charge=False) for allowance in line.allowances),
        *(allowance_charge(charge, charge=True) for charge in line.charges),
        group(
            "ram:SpecifiedTradeSettlementLineMonetarySummation",
            leaf("ram:LineTotalAmount", format_amount(net_amount)),
        ),
        invoiced_object_reference(line.object_identifier),
        group(
            "ram:ReceivableSpecifiedTradeAccountingAccount",
            leaf("ram:ID", line.accounting_reference),
        ),
    )
