"""A live render's part of what its workspace may render: included, of a pack, or of a top-up.

Included renders go first, then those of packs, which outlive the cycle. When both are used, a pack
is bought by the very update that takes its first render, as long as the plan's price and all
top-ups of the cycle stay within the workspace's `spend_cap_cents`.
"""

import datetime as dt
from typing import Any, Final

from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import parse_rfc3339, rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.cycle import cycle_at
from chalicelib.features.workspaces.limits_update import Parts
from chalicelib.features.workspaces.model import Workspace

# What a render of a pack holds; one of the included renders holds the end of its cycle.
PREPAID_HOLD: Final = "prepaid"


def prepaid_left(seen: Item) -> int:
    """Return what is left of packs; items of earlier releases know none."""
    left: int = seen.get("prepaid_left", 0)
    return left


def may_top_up(workspace: Workspace, seen: Item) -> bool:
    """Tell whether one more pack may be bought in the cycle of the item."""
    plan = workspace.plan
    spent = plan.price_cents + (seen.get("topups", 0) + 1) * plan.pack_cents
    return plan.pack_renders > 0 and spent <= workspace.spend_cap_cents


def take(parts: Parts, workspace: Workspace, seen: Item, now: dt.datetime) -> None:
    """Let the render `#r` hold one render; raises `render_limit_reached`."""
    cycle = cycle_at(parse_rfc3339(workspace.created_at), now)
    # Another clock may have begun the next cycle already.
    cycle_end = max(rfc3339(cycle.end), seen["cycle_end"])
    if seen["cycle_end"] != cycle_end:
        _renew(parts, workspace, rfc3339(cycle.start))
    elif seen["quota_left"] > 0:
        _included(parts)
    elif workspace.plan.pack_renders and prepaid_left(seen) > 0:
        _prepaid(parts)
    elif may_top_up(workspace, seen):
        _top_up(parts, workspace, seen)
    else:
        raise _used_up(workspace, cycle_end)
    parts.values |= {":cycle_end": cycle_end, ":zero": 0}


def _renew(parts: Parts, workspace: Workspace, cycle_start: str) -> None:
    parts.sets += [
        "holds.#r = :cycle_end",
        "quota_left = :renewed",
        "used = :zero",
        "topups = :zero",
        "cycle_start = :cycle_start",
        "cycle_end = :cycle_end",
    ]
    parts.conditions.append("cycle_end < :cycle_end")
    parts.values |= {
        ":renewed": workspace.plan.included_renders - 1,
        ":cycle_start": cycle_start,
    }


def _included(parts: Parts) -> None:
    parts.sets += ["holds.#r = :cycle_end", "quota_left = quota_left - :one"]
    parts.conditions += ["quota_left > :zero", "cycle_end = :cycle_end"]
    parts.values[":one"] = 1


def _prepaid(parts: Parts) -> None:
    parts.sets += ["holds.#r = :prepaid", "prepaid_left = prepaid_left - :one"]
    parts.conditions += [
        "quota_left <= :zero",
        "prepaid_left > :zero",
        "cycle_end = :cycle_end",
    ]
    parts.values |= {":prepaid": PREPAID_HOLD, ":one": 1}


def _top_up(parts: Parts, workspace: Workspace, seen: Item) -> None:
    parts.sets += ["holds.#r = :prepaid", "prepaid_left = :pack", "topups = :topups"]
    parts.conditions += ["quota_left <= :zero", "cycle_end = :cycle_end"]
    _require_seen(parts, seen, "prepaid_left", "prepaid_left <= :zero", {})
    _require_seen(parts, seen, "topups", "topups = :seen", {":seen": seen.get("topups")})
    parts.values |= {
        ":prepaid": PREPAID_HOLD,
        ":pack": workspace.plan.pack_renders - 1,
        ":topups": seen.get("topups", 0) + 1,
    }


def _require_seen(
    parts: Parts, seen: Item, name: str, condition: str, values: dict[str, Any]
) -> None:
    """Require a condition of an attribute, or that it is still not there."""
    if name not in seen:
        parts.conditions.append(f"attribute_not_exists({name})")
        return
    parts.conditions.append(condition)
    parts.values |= values


def _used_up(workspace: Workspace, cycle_end: str) -> ServiceError:
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
