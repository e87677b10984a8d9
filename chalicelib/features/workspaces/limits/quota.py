"""Quota of live renders: included in the plan, of a pack, or of an automatic top-up.

Included renders go first, then those of packs, which outlive the cycle. When both are used up, the
update that takes the next render also buys a pack, as long as the plan's price and all
top-ups of the cycle stay within the workspace's `spend_cap_cents`.
"""

import datetime as dt
from typing import Any, Final

from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at
from chalicelib.features.workspaces.limits.update_builder import LimitsUpdateBuilder
from chalicelib.features.workspaces.model import Workspace

# The hold of a render of a pack; the hold of an included render is the end of its cycle.
PREPAID_HOLD: Final = "prepaid"
THRESHOLD_PERCENTS: Final = (50, 80, 100)


def prepaid_left(seen: Item) -> int:
    """Return the renders left of packs; items of earlier releases lack the attribute."""
    left: int = seen.get("prepaid_left", 0)
    return left


def can_top_up(workspace: Workspace, seen: Item) -> bool:
    """Return whether the spend cap allows one more pack in the cycle of the item."""
    plan = workspace.plan
    spent = plan.price_cents + (seen.get("topups", 0) + 1) * plan.pack_cents
    return plan.pack_renders > 0 and spent <= workspace.spend_cap_cents


def take_render(
    builder: LimitsUpdateBuilder, workspace: Workspace, seen: Item, now: dt.datetime
) -> None:
    """Add a hold of one render for `#r`; raise `render_limit_reached`."""
    cycle = billing_cycle_at(parse_rfc3339(workspace.created_at), now)
    # Clocks differ: another process may have begun the next cycle already.
    cycle_end = max(format_rfc3339(cycle.end), seen["cycle_end"])
    if seen["cycle_end"] != cycle_end:
        _begin_cycle(builder, workspace, format_rfc3339(cycle.start))
    elif seen["quota_left"] > 0:
        _take_included(builder)
    elif workspace.plan.pack_renders and prepaid_left(seen) > 0:
        _take_prepaid(builder)
    elif can_top_up(workspace, seen):
        _buy_pack(builder, workspace, seen)
    else:
        raise _limit_reached_error(workspace, cycle_end)
    builder.values |= {":cycle_end": cycle_end, ":zero": 0}


def _begin_cycle(builder: LimitsUpdateBuilder, workspace: Workspace, cycle_start: str) -> None:
    builder.sets += [
        "holds.#r = :cycle_end",
        "quota_left = :renewed",
        "used = :zero",
        "topups = :zero",
        "cycle_start = :cycle_start",
        "cycle_end = :cycle_end",
    ]
    builder.conditions.append("cycle_end < :cycle_end")
    builder.values |= {
        ":renewed": workspace.plan.included_renders - 1,
        ":cycle_start": cycle_start,
    }


def _take_included(builder: LimitsUpdateBuilder) -> None:
    builder.sets += ["holds.#r = :cycle_end", "quota_left = quota_left - :one"]
    builder.conditions += ["quota_left > :zero", "cycle_end = :cycle_end"]
    builder.values[":one"] = 1


def _take_prepaid(builder: LimitsUpdateBuilder) -> None:
    builder.sets += ["holds.#r = :prepaid", "prepaid_left = prepaid_left - :one"]
    builder.conditions += [
        "quota_left <= :zero",
        "prepaid_left > :zero",
        "cycle_end = :cycle_end",
    ]
    builder.values |= {":prepaid": PREPAID_HOLD, ":one": 1}


def _buy_pack(builder: LimitsUpdateBuilder, workspace: Workspace, seen: Item) -> None:
    builder.sets += ["holds.#r = :prepaid", "prepaid_left = :pack", "topups = :topups"]
    builder.conditions += ["quota_left <= :zero", "cycle_end = :cycle_end"]
    _require_attribute(builder, seen, "prepaid_left", "prepaid_left <= :zero", {})
    _require_attribute(builder, seen, "topups", "topups = :seen", {":seen": seen.get("topups")})
    builder.values |= {
        ":prepaid": PREPAID_HOLD,
        ":pack": workspace.plan.pack_renders - 1,
        ":topups": seen.get("topups", 0) + 1,
    }


def _require_attribute(
    builder: LimitsUpdateBuilder, seen: Item, name: str, condition: str, values: dict[str, Any]
) -> None:
    """Add a condition on an attribute, or on its absence if `seen` lacks it."""
    if name not in seen:
        builder.conditions.append(f"attribute_not_exists({name})")
        return
    builder.conditions.append(condition)
    builder.values |= values


def _limit_reached_error(workspace: Workspace, cycle_end: str) -> ServiceError:
    plan, cap = workspace.plan, workspace.spend_cap_cents
    used = (
        f"The {plan.included_renders} renders that the plan {workspace.plan_code} includes in "
        f"this billing cycle are used until {cycle_end}"
    )
    if not plan.pack_renders:
        detail = f"{used}; this plan has no packs and no top-ups. Change the plan or wait."
    elif cap == 0:
        detail = (
            f"{used}, no pack is left, and automatic top-ups are off. Buy a pack, set a monthly "
            "top-up limit, change the plan or wait."
        )
    else:
        detail = (
            f"{used}, no pack is left, and the monthly top-up limit of {cap} cents allows no "
            f"further pack of {plan.pack_renders} renders for {plan.pack_cents} cents. Raise the "
            "limit, buy a pack, change the plan or wait."
        )
    return ServiceError("render_limit_reached", f"{detail} Test keys keep working.")


def included_renders(item: Item) -> int:
    """Return the number of renders that the cycle includes: used, held or left."""
    held = sum(hold == item["cycle_end"] for hold in item["holds"].values())
    total: int = item["used"] + item["quota_left"] + held
    return total


def reached_thresholds(item: Item) -> list[int]:
    """Return the thresholds (percent) that the used renders have reached."""
    total = included_renders(item)
    return [percent for percent in THRESHOLD_PERCENTS if item["used"] * 100 >= percent * total]


def has_reached_threshold(item: Item, hold: str) -> bool:
    """Return whether the render just settled reached a threshold or used up the quota."""
    if hold != item["cycle_end"]:
        return is_used_up(item)
    before = item | {"used": item["used"] - 1, "quota_left": item["quota_left"] + 1}
    return reached_thresholds(item) != reached_thresholds(before) or is_used_up(item)


def is_used_up(item: Item) -> bool:
    """Return whether no included render and no render of a pack is left."""
    left: int = item["quota_left"]
    return left <= 0 and prepaid_left(item) <= 0
