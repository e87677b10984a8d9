"""Quota of live renders: included in the plan, of a pack, or of an automatic top-up.

Included renders go first, then those of packs, which outlive the cycle. When both are used up, the
update that takes the next renders also buys a pack, as long as the plan's price and all top-ups of
the cycle stay within the workspace's `spend_cap_cents`.
"""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at
from chalicelib.features.workspaces.limits.item.update import LimitsUpdateBuilder
from chalicelib.features.workspaces.limits.model import PREPAID, Hold, passed_attribute
from chalicelib.features.workspaces.model import Workspace

THRESHOLD_PERCENTS: Final = (50, 80, 100)


def can_top_up(workspace: Workspace, seen: Row) -> bool:
    """Return whether the spend cap allows one more pack in the cycle of the item."""
    plan = workspace.plan
    spent = plan.price_cents + (seen["topups"] + 1) * plan.pack_cents
    return plan.pack_renders > 0 and spent <= workspace.spend_cap_cents


def take_renders(
    builder: LimitsUpdateBuilder,
    workspace: Workspace,
    seen: Row,
    now: dt.datetime,
    count: int = 1,
    *,
    may_top_up: bool,
) -> Hold:
    """Take up to `count` renders of one source; buy a pack for them only if `may_top_up`.

    Raise `render_limit_reached` if none is left.
    """
    cycle = billing_cycle_at(parse_rfc3339(workspace.created_at), now)
    # Clocks differ: another process may have begun the next cycle already.
    cycle_end = max(format_rfc3339(cycle.end), seen["cycle_end"])
    included = workspace.plan.included_renders
    if seen["cycle_end"] != cycle_end:
        taken = Hold(cycle_end, min(count, included))
        _begin_cycle(builder, format_rfc3339(cycle.start), included, taken.renders)
    elif seen["quota_left"] > 0:
        taken = Hold(cycle_end, min(count, seen["quota_left"]))
        _take_included(builder, taken.renders)
    elif workspace.plan.pack_renders and seen["prepaid_left"] > 0:
        taken = Hold(PREPAID, min(count, seen["prepaid_left"]))
        _take_prepaid(builder, taken.renders)
    elif may_top_up and can_top_up(workspace, seen):
        taken = Hold(PREPAID, min(count, workspace.plan.pack_renders))
        _buy_pack(builder, workspace, seen, taken.renders)
    else:
        raise _limit_reached_error(workspace, cycle_end)
    builder.values[":cycle_end"] = cycle_end
    return taken


def check_renders_left(workspace: Workspace, seen: Row, now: dt.datetime) -> None:
    """Raise `render_limit_reached` if neither a render nor a pack for it is left; take nothing."""
    take_renders(LimitsUpdateBuilder(), workspace, seen, now, may_top_up=True)


def plan_change(more_renders: int, prepaid: int | None) -> LimitsUpdateBuilder:
    """Return the parts of an update that adds included renders, and sets those left of packs."""
    builder = LimitsUpdateBuilder(
        sets=["included = included + :more", "quota_left = quota_left + :more"],
        values={":more": more_renders},
    )
    if prepaid is not None:
        builder.sets.append("prepaid_left = :prepaid")
        builder.values[":prepaid"] = prepaid
    return builder


def _begin_cycle(builder: LimitsUpdateBuilder, cycle_start: str, included: int, taken: int) -> None:
    builder.sets += [
        "included = :included",
        "quota_left = :renewed",
        "used = :zero",
        "folded_used = :zero",
        "folded_returned = :zero",
        "topups = :zero",
        "cycle_start = :cycle_start",
        "cycle_end = :cycle_end",
    ]
    builder.removes += [passed_attribute(f"{percent}") for percent in THRESHOLD_PERCENTS]
    builder.conditions.append("cycle_end < :cycle_end")
    builder.values |= {
        ":zero": 0,
        ":included": included,
        ":renewed": included - taken,
        ":cycle_start": cycle_start,
    }


def _take_included(builder: LimitsUpdateBuilder, taken: int) -> None:
    builder.sets.append("quota_left = quota_left - :taken")
    builder.conditions += ["quota_left >= :taken", "cycle_end = :cycle_end"]
    builder.values[":taken"] = taken


def _take_prepaid(builder: LimitsUpdateBuilder, taken: int) -> None:
    builder.sets.append("prepaid_left = prepaid_left - :taken")
    builder.conditions += [
        "quota_left <= :zero",
        "prepaid_left >= :taken",
        "cycle_end = :cycle_end",
    ]
    builder.values |= {":taken": taken, ":zero": 0}


def _buy_pack(builder: LimitsUpdateBuilder, workspace: Workspace, seen: Row, taken: int) -> None:
    builder.sets += ["prepaid_left = :pack", "topups = topups + :one"]
    builder.conditions += [
        "quota_left <= :zero",
        "prepaid_left <= :zero",
        "topups = :seen_topups",
        "cycle_end = :cycle_end",
    ]
    builder.values |= {
        ":zero": 0,
        ":one": 1,
        ":pack": workspace.plan.pack_renders - taken,
        ":seen_topups": seen["topups"],
    }


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


def reached_thresholds(item: Row) -> list[int]:
    """Return the thresholds (percent) that the used renders have reached."""
    used, included = item["used"] * 100, item["included"]
    return [percent for percent in THRESHOLD_PERCENTS if used >= percent * included]


def passed_thresholds(item: Row, newly_used: int) -> list[int]:
    """Return the thresholds (percent) that the last `newly_used` renders have passed."""
    before = reached_thresholds(item | {"used": item["used"] - newly_used})
    return [percent for percent in reached_thresholds(item) if percent not in before]


def threshold_count(item: Row, percent: int) -> int:
    """Return the number of used renders at which a threshold is passed."""
    included: int = item["included"]
    return -(-percent * included // 100)


def is_used_up(item: Row) -> bool:
    """Return whether no included render and no render of a pack is left."""
    left: int = item["quota_left"]
    prepaid: int = item["prepaid_left"]
    return left <= 0 and prepaid <= 0
