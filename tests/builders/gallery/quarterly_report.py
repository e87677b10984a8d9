"""The report: regions and channels have one revenue, of which costs leave a profit."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from tests.builders.gallery import A4, exact, to

PAGES: Final = 6
SIZE: Final = A4


def texts(data: dict[str, Any]) -> Iterator[str]:
    """Yield revenue, profits, growth, and the page numbers of the contents."""
    quarters = [sum(region["revenue"][n] for region in data["regions"]) for n in range(8)]
    now, before = quarters[7], quarters[3]
    assert sum(channel["now"] for channel in data["channels"]) == now
    assert sum(channel["before"] for channel in data["channels"]) == before
    goods = sum(cost["now"] for cost in data["costs"] if cost["gross"])
    spent = sum(cost["now"] for cost in data["costs"])
    spent_before = sum(cost["before"] for cost in data["costs"])
    yield f"£{to('0.01', exact(now) / 1000)}m"
    yield from (f"£{amount:,}k" for amount in quarters)
    yield f"Gross profit {now - goods:,} {_share(now - goods, now)}"
    yield f"Operating profit {now - spent:,} {_share(now - spent, now)} {before - spent_before:,}"
    yield f"£{now:,}k £{before:,}k +{_share(now - before, before)}"
    people = data["subscribers"]["values"]
    yield f"{people[-1]:,} {people[0]:,} +{_share(people[-1] - people[0], people[0])}"
    for page, key in enumerate(("letter", "revenue", "service", "accounts"), 3):
        yield f"{data['sections'][key]['title']} {page}"


def _share(part: int, whole: int) -> str:
    return f"{to('0.1', Decimal(100 * part) / whole)}%"
