"""Admission: rate, lease and hold of one render as one conditional update of the limits item.

The conditions of an update check the item, so no read comes first. Each function builds the update
from a guess (the item as last seen). A failed condition returns the item itself, and the update is
built again from that, or refused (decision 2).
"""

import datetime as dt
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, Protocol

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.limits import quota, rate
from chalicelib.features.workspaces.limits.item.update import LimitsUpdate, LimitsUpdateBuilder
from chalicelib.features.workspaces.limits.model import (
    DUE_LIMITS,
    NOTHING,
    PREPAID,
    EndedHold,
    Hold,
    Holder,
    Lease,
    ReservationRequest,
)
from chalicelib.features.workspaces.model import Workspace

# What a crash has left is free within ten minutes: these, a minute of the tick, and a margin for
# holders that were too young at the first comparison.
_RECONCILE_AFTER: Final = dt.timedelta(minutes=4)
_WAIT_ADVICE: Final = "wait for one to end"


class PlanTaking(Protocol):
    """Function that builds an update which takes of the quota; a pack only if `may_top_up`."""

    def __call__(self, seen: Row, *, may_top_up: bool) -> LimitsUpdate | None: ...  # noqa: D102


def plan_admission(
    request: ReservationRequest, seen: Row, now: dt.datetime, *, may_top_up: bool
) -> LimitsUpdate | None:
    """Build the update that admits a render, given the item as last seen.

    A pack is bought only if `may_top_up`. Return None if the render is admitted already. Raise
    `rate_limited`, `concurrency_limited` or `render_limit_reached` if the item as seen refuses it.
    """
    if request.render_id in seen["holds"]:
        return None
    builder = LimitsUpdateBuilder()
    limits = request.workspace.plan
    windows = [rate.request_window(limits)]
    if request.test:
        windows.append(rate.test_render_window(limits))
    rate.take_rate(builder, windows, limits, seen, now)
    if request.lease_until is not None:
        lease = Lease(request.render_id, request.workspace, request.lease_until)
        _add_lease(builder, lease, seen, now, f"{_WAIT_ADVICE}, or send mode async")
    hold = (
        Hold(NOTHING)
        if request.test
        else quota.take_renders(builder, request.workspace, seen, now, may_top_up=may_top_up)
    )
    _add_hold(builder, request.render_id, hold, now)
    return builder.build()


def plan_reservation(
    holder: Holder, seen: Row, now: dt.datetime, *, may_top_up: bool
) -> LimitsUpdate | None:
    """Build the update that holds up to `holder.renders` live renders of one source.

    A pack is bought only if `may_top_up`. Return None if the holder has its hold already. Raise
    `render_limit_reached`.
    """
    if holder.id in seen["holds"]:
        return None
    builder = LimitsUpdateBuilder()
    hold = quota.take_renders(
        builder, holder.workspace, seen, now, holder.renders, may_top_up=may_top_up
    )
    _add_hold(builder, holder.id, hold, now)
    return builder.build()


def plan_lease(lease: Lease, seen: Row, now: dt.datetime) -> LimitsUpdate | None:
    """Build the update that takes a lease for work without a render.

    Return None if the lease is taken already. Raise `concurrency_limited`.
    """
    if lease.id in seen["leases"]:
        return None
    builder = LimitsUpdateBuilder()
    _add_lease(builder, lease, seen, now, _WAIT_ADVICE)
    schedule_reconciliation(builder, lease.id, now)
    return builder.build()


def plan_request(
    workspace: Workspace, token: str, seen: Row, now: dt.datetime
) -> LimitsUpdate | None:
    """Build the update that counts one request without an admission; raise `rate_limited`.

    Return None if the request is counted already, by a call whose response was lost.
    """
    if seen["counted"] == token:
        return None
    builder = LimitsUpdateBuilder()
    limits = workspace.plan
    rate.take_rate(builder, [rate.request_window(limits)], limits, seen, now)
    builder.sets.append("counted = :counted")
    builder.conditions.append("counted <> :counted")
    builder.values[":counted"] = token
    return builder.build()


def plan_settlement(ended: Sequence[EndedHold], seen: Row) -> LimitsUpdate | None:
    """Build the update that settles ended holds and removes their leases.

    Only holds with an entry count: the entry is the guard against a second settlement. Return None
    if neither an entry nor a lease is left.
    """
    builder = LimitsUpdateBuilder()
    settled = []
    for n, (holder_id, _, billed) in enumerate(ended):
        entry = seen["holds"].get(holder_id)
        if entry is None and holder_id not in seen["leases"]:
            continue
        builder.names[f"#r{n}"] = holder_id
        builder.removes += [f"leases.#r{n}", f"holds.#r{n}"]
        if entry is None:
            builder.conditions.append(f"attribute_not_exists(holds.#r{n})")
        else:
            builder.conditions.append(f"holds.#r{n} = :hold{n}")
            builder.values[f":hold{n}"] = entry
            settled.append((Hold.from_text(entry), billed))
    if not builder.removes:
        return None
    _count_settled(builder, settled, seen["cycle_end"])
    return builder.build()


def guess_before_settlement(ended: Sequence[EndedHold]) -> Row:
    """Return the limits item as it is if none of the holds is settled yet."""
    return {
        "holds": {holder_id: hold.to_text() for holder_id, hold, _ in ended},
        "leases": {holder_id: 0 for holder_id, _, _ in ended},
        "cycle_end": max(hold.source if hold.source != PREPAID else "" for _, hold, _ in ended),
    }


def _count_settled(
    builder: LimitsUpdateBuilder, settled: Sequence[tuple[Hold, bool]], cycle_end: str
) -> None:
    more: Counter[str] = Counter()
    held = [(hold, billed) for hold, billed in settled if hold.source != NOTHING]
    for hold, billed in held:
        if hold.source == PREPAID:
            more["prepaid_left"] += 0 if billed else hold.renders
        # A hold of an earlier cycle is just removed: that cycle's allowance is gone.
        elif hold.source == cycle_end:
            more["used" if billed else "quota_left"] += hold.renders
    if any(hold.source != PREPAID for hold, _ in held):
        builder.conditions.append("cycle_end = :seen_end")
        builder.values[":seen_end"] = cycle_end
    for name, renders in (+more).items():
        builder.sets.append(f"{name} = {name} + :more_{name}")
        builder.values[f":more_{name}"] = renders


def with_confirmed(update: LimitsUpdate, holder_ids: Collection[str]) -> LimitsUpdate:
    """Add the removal of entries of holders whose rows hold by themselves (decision 2)."""
    if not holder_ids:
        return update
    names = {f"#known{n}": holder_id for n, holder_id in enumerate(holder_ids)}
    removes = ", ".join(f"holds.{name}" for name in names)
    joined = f"{update.update}{', ' if ' REMOVE ' in update.update else ' REMOVE '}{removes}"
    return update._replace(update=joined, names={**update.names, **names})


def _add_lease(
    builder: LimitsUpdateBuilder, lease: Lease, seen: Row, now: dt.datetime, advice: str
) -> None:
    now_s = int(now.timestamp())
    expired = [render_id for render_id, until in seen["leases"].items() if until <= now_s]
    allowed = lease.workspace.plan.sync_concurrency
    if len(seen["leases"]) - len(expired) >= allowed:
        raise ServiceError(
            "concurrency_limited",
            f"The plan {lease.workspace.plan_code} allows {allowed} sync renders, publishings and "
            f"checks at once; {advice}.",
            headers={"Retry-After": "1"},
        )
    for n, render_id in enumerate(expired):
        builder.removes.append(f"leases.#over{n}")
        builder.conditions.append(f"leases.#over{n} <= :now_s")
        builder.names[f"#over{n}"] = render_id
        builder.values[":now_s"] = now_s
    builder.sets.append("leases.#r = :lease_until")
    builder.conditions += [
        "attribute_not_exists(leases.#r)",
        "size(leases) < :lease_room",
    ]
    builder.names["#r"] = lease.id
    builder.values |= {
        ":lease_until": int(lease.until.timestamp()),
        ":lease_room": allowed + len(expired),
    }


def _add_hold(builder: LimitsUpdateBuilder, holder_id: str, hold: Hold, now: dt.datetime) -> None:
    builder.names["#r"] = holder_id
    builder.sets.append("holds.#r = :hold")
    builder.conditions.append("attribute_not_exists(holds.#r)")
    builder.values[":hold"] = hold.to_text()
    schedule_reconciliation(builder, holder_id, now)


def schedule_reconciliation(builder: LimitsUpdateBuilder, subject: str, now: dt.datetime) -> None:
    """Make the item due, so that holds and leases are removed even after a crash."""
    builder.sets += [
        "due_at = if_not_exists(due_at, :due)",
        "DPK = if_not_exists(DPK, :dpk)",
    ]
    builder.values |= {
        ":due": format_rfc3339(now + _RECONCILE_AFTER),
        ":dpk": DUE_LIMITS.partition(subject),
    }
