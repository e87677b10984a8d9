"""Admission: rate, lease and quota of one render as one conditional update of the limits item.

The conditions of an update say what must be true of the item, so no read comes first. Each
function builds the update from a guess (the item as last seen). A failed condition returns the item
itself, and the update is built again from that, or refused (decision 2).
"""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.due_shard import due_shard
from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId
from chalicelib.features.workspaces.limits import quota, rate
from chalicelib.features.workspaces.limits.model import Lease, ReservationRequest
from chalicelib.features.workspaces.limits.update_builder import LimitsUpdate, LimitsUpdateBuilder
from chalicelib.features.workspaces.model import Workspace

# The hold of a test render, which takes nothing of the allowance.
NO_HOLD: Final = ""
# Keeps the item (about 250 KB) below DynamoDB's 400 KB; larger fan-outs are batches (decision 2).
MAX_OPEN_RENDERS: Final = 4_000
_RECONCILE_AFTER: Final = dt.timedelta(minutes=5)
_WAIT_ADVICE: Final = "wait for one to end"


def plan_admission(
    request: ReservationRequest, seen: Item, now: dt.datetime
) -> LimitsUpdate | None:
    """Build the update that admits a render, given the item as last seen.

    Return None if the render is admitted already. Raise `rate_limited`, `concurrency_limited` or
    `render_limit_reached` if the item as seen refuses it.
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
    _add_hold(builder, request, seen, now)
    _schedule_reconciliation(builder, request.render_id, now)
    return builder.build()


def plan_lease(lease: Lease, seen: Item, now: dt.datetime) -> LimitsUpdate | None:
    """Build the update that takes a lease for work without a render.

    Return None if the lease is taken already. Raise `concurrency_limited`.
    """
    if lease.id in seen["leases"]:
        return None
    builder = LimitsUpdateBuilder()
    _add_lease(builder, lease, seen, now, _WAIT_ADVICE)
    _schedule_reconciliation(builder, lease.id, now)
    return builder.build()


def plan_request(
    workspace: Workspace, token: str, seen: Item, now: dt.datetime
) -> LimitsUpdate | None:
    """Build the update that counts one request without a render; raise `rate_limited`.

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


def plan_settlement(render_id: RenderId, seen: Item, *, billed: bool) -> LimitsUpdate | None:
    """Build the update that removes a final render from the limits; None if it is removed."""
    hold = seen["holds"].get(render_id)
    if hold is None and render_id not in seen["leases"]:
        return None
    builder = LimitsUpdateBuilder(names={"#r": render_id})
    builder.removes += ["leases.#r", "holds.#r"]
    if hold is None:
        builder.conditions.append("attribute_not_exists(holds.#r)")
        return builder.build()
    builder.conditions.append("holds.#r = :hold")
    builder.values[":hold"] = hold
    if hold == NO_HOLD:
        return builder.build()
    if hold == quota.PREPAID_HOLD:
        if not billed:
            builder.sets.append("prepaid_left = prepaid_left + :one")
            builder.values[":one"] = 1
        return builder.build()
    builder.conditions.append("cycle_end = :seen_end")
    builder.values[":seen_end"] = seen["cycle_end"]
    # A hold of an earlier cycle is just removed: that cycle's allowance is gone.
    if hold == seen["cycle_end"]:
        builder.sets.append("used = used + :one" if billed else "quota_left = quota_left + :one")
        builder.values[":one"] = 1
    return builder.build()


def _add_lease(
    builder: LimitsUpdateBuilder, lease: Lease, seen: Item, now: dt.datetime, advice: str
) -> None:
    now_s = int(now.timestamp())
    expired = [render_id for render_id, until in seen["leases"].items() if until <= now_s]
    allowed = lease.workspace.plan.sync_concurrency
    if len(seen["leases"]) - len(expired) >= allowed:
        what = "sync renders, publishings and checks at once"
        raise _concurrency_error(lease.workspace, what, allowed, advice)
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


def _add_hold(
    builder: LimitsUpdateBuilder, request: ReservationRequest, seen: Item, now: dt.datetime
) -> None:
    """Add the hold of a render until it is settled; a live render takes from the quota."""
    if len(seen["holds"]) >= MAX_OPEN_RENDERS:
        raise _concurrency_error(
            request.workspace, "unfinished renders", MAX_OPEN_RENDERS, _WAIT_ADVICE
        )
    builder.names["#r"] = request.render_id
    builder.conditions += ["attribute_not_exists(holds.#r)", "size(holds) < :open"]
    builder.values[":open"] = MAX_OPEN_RENDERS
    if request.test:
        builder.sets.append("holds.#r = :no_hold")
        builder.values[":no_hold"] = NO_HOLD
    else:
        quota.take_render(builder, request.workspace, seen, now)


def _schedule_reconciliation(builder: LimitsUpdateBuilder, subject: str, now: dt.datetime) -> None:
    """Make the item due, so that holds and leases are removed even after a crash."""
    builder.sets += [
        "due_at = if_not_exists(due_at, :due)",
        "DPK = if_not_exists(DPK, :dpk)",
    ]
    builder.values |= {":due": format_rfc3339(now + _RECONCILE_AFTER), ":dpk": due_shard(subject)}


def _concurrency_error(workspace: Workspace, what: str, allowed: int, advice: str) -> ServiceError:
    return ServiceError(
        "concurrency_limited",
        f"The plan {workspace.plan_code} allows {allowed} {what}; {advice}.",
        headers={"Retry-After": "1"},
    )
