"""Admission: rate, lease and quota of one render as one conditional update of the limits item.

An update states what must be true of the item, so it is written without reading first: `plan`
builds it from a guess (the item as last seen), and a refused condition brings the item itself,
from which it is built again, or the refusal is told.
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

# What a test render holds of the allowance.
NO_HOLD: Final = ""
# Beyond this many unfinished renders the item would near DynamoDB's 400 KB: batches hold more.
MAX_OPEN_RENDERS: Final = 4_000
_RECONCILE_AFTER: Final = dt.timedelta(minutes=5)
_WAIT_ADVICE: Final = "wait for one to end"


def plan_admission(
    request: ReservationRequest, seen: Item, now: dt.datetime
) -> LimitsUpdate | None:
    """Build the update that admits a render, given the item as last seen.

    None: the item shows that the render is admitted already. Raises `rate_limited`,
    `concurrency_limited` or `render_limit_reached` when the item as seen refuses it.
    """
    if request.render_id in seen["holds"]:
        return None
    parts = LimitsUpdateBuilder()
    limits = request.workspace.plan
    windows = [rate.request_window(limits)]
    if request.test:
        windows.append(rate.test_render_window(limits))
    rate.take_rate(parts, windows, limits, seen, now)
    if request.lease_until is not None:
        place = Lease(request.render_id, request.workspace, request.lease_until)
        _add_lease(parts, place, seen, now, f"{_WAIT_ADVICE}, or send mode async")
    _add_hold(parts, request, seen, now)
    _schedule_reconciliation(parts, request.render_id, now)
    return parts.build()


def plan_lease(lease: Lease, seen: Item, now: dt.datetime) -> LimitsUpdate | None:
    """Build the update that takes a place for work that makes no render.

    None: the item shows that it is taken already. Raises `concurrency_limited`.
    """
    if lease.id in seen["leases"]:
        return None
    parts = LimitsUpdateBuilder()
    _add_lease(parts, lease, seen, now, _WAIT_ADVICE)
    _schedule_reconciliation(parts, lease.id, now)
    return parts.build()


def plan_request(
    workspace: Workspace, token: str, seen: Item, now: dt.datetime
) -> LimitsUpdate | None:
    """Build the update that counts one request that renders nothing; raises `rate_limited`.

    None: the item shows that it is counted already, by a call whose answer was lost.
    """
    if seen["counted"] == token:
        return None
    parts = LimitsUpdateBuilder()
    limits = workspace.plan
    rate.take_rate(parts, [rate.request_window(limits)], limits, seen, now)
    parts.sets.append("counted = :counted")
    parts.conditions.append("counted <> :counted")
    parts.values[":counted"] = token
    return parts.build()


def plan_settlement(render_id: RenderId, seen: Item, *, billed: bool) -> LimitsUpdate | None:
    """Build the update that takes a finished render out of the limits; None: it is out."""
    hold = seen["holds"].get(render_id)
    if hold is None and render_id not in seen["leases"]:
        return None
    parts = LimitsUpdateBuilder(names={"#r": render_id})
    parts.removes += ["leases.#r", "holds.#r"]
    if hold is None:
        parts.conditions.append("attribute_not_exists(holds.#r)")
        return parts.build()
    parts.conditions.append("holds.#r = :hold")
    parts.values[":hold"] = hold
    if hold == NO_HOLD:
        return parts.build()
    if hold == quota.PREPAID_HOLD:
        if not billed:
            parts.sets.append("prepaid_left = prepaid_left + :one")
            parts.values[":one"] = 1
        return parts.build()
    parts.conditions.append("cycle_end = :seen_end")
    parts.values[":seen_end"] = seen["cycle_end"]
    if hold == seen["cycle_end"]:
        parts.sets.append("used = used + :one" if billed else "quota_left = quota_left + :one")
        parts.values[":one"] = 1
    return parts.build()


def _add_lease(
    builder: LimitsUpdateBuilder, lease: Lease, seen: Item, now: dt.datetime, advice: str
) -> None:
    now_s = int(now.timestamp())
    over = [render_id for render_id, until in seen["leases"].items() if until <= now_s]
    allowed = lease.workspace.plan.sync_concurrency
    if len(seen["leases"]) - len(over) >= allowed:
        what = "sync renders, publishings and checks at once"
        raise _concurrency_error(lease.workspace, what, allowed, advice)
    for n, render_id in enumerate(over):
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
        ":lease_room": allowed + len(over),
    }


def _add_hold(
    builder: LimitsUpdateBuilder, request: ReservationRequest, seen: Item, now: dt.datetime
) -> None:
    """Let the render stand in the item until it is settled; a live one takes of the quota."""
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
    """Have the item compared with the renders, should nobody take out what is put in now."""
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
