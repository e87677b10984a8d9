"""The gross price and the discount of an item, whichever of them the caller named."""

from decimal import Decimal

from chalicelib.engine.einvoice.model import Price


def gross_and_discount(price: Price) -> tuple[Decimal | None, Decimal | None]:
    """Return BT-148 and BT-147, such that gross less discount is the net price."""
    gross, discount = price.gross, price.discount
    if gross is None and discount is not None:
        gross = price.net + discount
    elif gross is not None and discount is None and gross > price.net:
        discount = gross - price.net
    return gross, discount
