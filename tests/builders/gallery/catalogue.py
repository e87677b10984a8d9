"""The catalogue: prices, sizes, the sum of the set, and the page of each product."""

from collections.abc import Iterator
from typing import Any, Final

from tests.builders.gallery import A4, exact, to, written

PAGES: Final = 4
SIZE: Final = A4
_PAGES: Final = {"table": 2, "house": 3}


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield what the products are, and what the set costs."""
    prices = {product["number"]: exact(product["price"]) for product in data["products"]}
    for product in data["products"]:
        wide = 2 * max(radius for radius, _ in product["profile"])
        yield f"{wide} mm wide, {product['profile'][-1][1]} mm high £{product['price']}"
        yield f"{product['name']} {_PAGES[product['shelf']]}"
    parts = data["set"]["parts"]
    whole = sum(exact(part["count"]) * prices[part["number"]] for part in parts)
    off = to("0.01", whole * exact(data["set"]["discount"]))
    yield f"−£{written(off, ',', '.')}"  # noqa: RUF001 -- a minus sign
    yield f"The set £{written(whole - off, ',', '.')}"
