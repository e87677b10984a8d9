"""Admission: rate, lease and quota of one render as one conditional update of the limits item.

An update states what must be true of the item, so it is written without reading first: `plan`
builds it from a guess (the item as last seen), and a refused condition brings the item itself,
from which it is built again, or the refusal is told.
"""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.due import due_shard
from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId
from chalicelib.features.workspaces import quota, rate
from chalicelib.features.workspaces.limits import Claim, Place
from chalicelib.features.workspaces.limits_update import LimitsUpdate, Parts
from chalicelib.features.workspaces.model import Workspace

# What a test render holds of the allowance.
NO_HOLD: Final = ""
# Beyond this many unfinished renders the item would near DynamoDB's 400 KB: batches hold more.
MAX_OPEN_RENDERS: Final = 4_000
_RECONCILE_AFTER: Final = dt.timedelta(minutes=5)
_WAIT: Final = "wait for one to end"


def plan(claim: Claim, seen: Item, now: dt.datetime) -> LimitsUpdate | None:
    """Build the update that admits a render, given the item as last seen.

    None: the item shows that the render is admitted already. Raises `rate_limited`,
    `concurrency_limited` or `render_limit_reached` when the item as seen refuses it.
    """
    if claim.render_id in seen["holds"]:
        return None
    parts = Parts()
    limits = claim.workspace.plan
    windows = [rate.requests(limits)]
    if claim.test:
        windows.append(rate.test_renders(limits))
    rate.take(parts, windows, limits, seen, now)
    if claim.lease_until is not None:
        place = Place(claim.render_id, claim.workspace, claim.lease_until)
        _lease(parts, place, seen, now, f"{_WAIT}, or send mode async")
    _hold(parts, claim, seen, now)
    _look_after(parts, claim.render_id, now)
    return parts.update()


def plan_place(place: Place, seen: Item, now: dt.datetime) -> LimitsUpdate | None:
    """Build the update that takes a place for work that makes no render.

    None: the item shows that it is taken already. Raises `concurrency_limited`.
    """
    if place.id in seen["leases"]:
        return None
    parts = Parts()
    _lease(parts, place, seen, now, _WAIT)
    _look_after(parts, place.id, now)
    return parts.update()


def plan_request(
    workspace: Workspace, token: str, seen: Item, now: dt.datetime
) -> LimitsUpdate | None:
    """Build the update that counts one request that renders nothing; raises `rate_limited`.

    None: the item shows that it is counted already, by a call whose answer was lost.
    """
    if seen["counted"] == token:
        return None
    parts = Parts()
    limits = workspace.plan
    rate.take(parts, [rate.requests(limits)], limits, seen, now)
    parts.sets.append("counted = :counted")
    parts.conditions.append("counted <> :counted")
    parts.values[":counted"] = token
    return parts.update()


def plan_settlement(render_id: RenderId, seen: Item, *, billed: bool) -> LimitsUpdate | None:
    """Build the update that takes a finished render out of the limits; None: it is out."""
    hold = seen["holds"].get(render_id)
    if hold is None and render_id not in seen["leases"]:
        return None
    parts = Parts(names={"#r": render_id})
    parts.removes += ["leases.#r", "holds.#r"]
    if hold is None:
        parts.conditions.append("attribute_not_exists(holds.#r)")
        return parts.update()
    parts.conditions.append("holds.#r = :hold")
    parts.values[":hold"] = hold
    if hold == NO_HOLD:
        return parts.update()
    if hold == quota.PREPAID_HOLD:
        if not billed:
            parts.sets.append("prepaid_left = prepaid_left + :one")
            parts.values[":one"] = 1
        return parts.update()
    parts.conditions.append("cycle_end = :seen_end")
    parts.values[":seen_end"] = seen["cycle_end"]
    if hold == seen["cycle_end"]:
        parts.sets.append("used = used + :one" if billed else "quota_left = quota_left + :one")
        parts.values[":one"] = 1
    return parts.update()


def _lease(parts: Parts, place: Place, seen: Item, now: dt.datetime, advice: str) -> None:
    now_s = int(now.timestamp())
    over = [render_id for render_id, until in seen["leases"].items() if until <= now_s]
    allowed = place.workspace.plan.sync_concurrency
    if len(seen["leases"]) - len(over) >= allowed:
        what = "sync renders, publishings and checks at once"
        raise _busy(place.workspace, what, allowed, advice)
    for n, render_id in enumerate(over):
        parts.removes.append(f"leases.#over{n}")
        parts.conditions.append(f"leases.#over{n} <= :now_s")
        parts.names[f"#over{n}"] = render_id
        parts.values[":now_s"] = now_s
    parts.sets.append("leases.#r = :lease_until")
    parts.conditions += [
        "attribute_not_exists(leases.#r)",
        "size(leases) < :lease_room",
    ]
    parts.names["#r"] = place.id
    parts.values |= {
        ":lease_until": int(place.until.timestamp()),
        ":lease_room": allowed + len(over),
    }


def _hold(parts: Parts, claim: Claim, seen: Item, now: dt.datetime) -> None:
    """Let the render stand in the item until it is settled; a live one takes of the quota."""
    if len(seen["holds"]) >= MAX_OPEN_RENDERS:
        raise _busy(claim.workspace, "unfinished renders", MAX_OPEN_RENDERS, _WAIT)
    parts.names["#r"] = claim.render_id
    parts.conditions += ["attribute_not_exists(holds.#r)", "size(holds) < :open"]
    parts.values[":open"] = MAX_OPEN_RENDERS
    if claim.test:
        parts.sets.append("holds.#r = :no_hold")
        parts.values[":no_hold"] = NO_HOLD
    else:
        quota.take(parts, claim.workspace, seen, now)


def _look_after(parts: Parts, name: str, now: dt.datetime) -> None:
    """Have the item compared with the renders, should nobody take out what is put in now."""
    parts.sets += [
        "due_at = if_not_exists(due_at, :due)",
        "DPK = if_not_exists(DPK, :dpk)",
    ]
    parts.values |= {":due": rfc3339(now + _RECONCILE_AFTER), ":dpk": due_shard(name)}


def _busy(workspace: Workspace, what: str, allowed: int, advice: str) -> ServiceError:
    return ServiceError(
        "concurrency_limited",
        f"The plan {workspace.plan_code} allows {allowed} {what}; {advice}.",
        headers={"Retry-After": "1"},
    )
