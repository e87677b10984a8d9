"""Which parts of a cycle's renders are used, as the limits item shows it."""

from typing import Final

from chalicelib.adapters.aws.table import Item
from chalicelib.features.workspaces.quota import prepaid_left

PERCENTS: Final = (50, 80, 100)


def included(item: Item) -> int:
    """Return how many renders the cycle includes: used, held or left."""
    held = sum(hold == item["cycle_end"] for hold in item["holds"].values())
    total: int = item["used"] + item["quota_left"] + held
    return total


def reached(item: Item) -> list[int]:
    """Return the thresholds that what is used has reached."""
    total = included(item)
    return [percent for percent in PERCENTS if item["used"] * 100 >= percent * total]


def is_met(item: Item, hold: str) -> bool:
    """Tell whether the render with this hold, just used, met a threshold or was the last one."""
    if hold != item["cycle_end"]:
        return nothing_left(item)
    before = item | {"used": item["used"] - 1, "quota_left": item["quota_left"] + 1}
    return reached(item) != reached(before) or nothing_left(item)


def nothing_left(item: Item) -> bool:
    """Tell whether neither an included render nor one of a pack is left."""
    left: int = item["quota_left"]
    return left <= 0 and prepaid_left(item) <= 0
