"""Admission: rate, lease and quota of one render as one conditional update of the limits item.

An update states what must be true of the item, so it is written without reading first: `plan`
builds it from a guess (the item as last seen), and a refused condition brings the item itself,
from which it is built again, or the refusal is told.
"""

import datetime as dt
from typing import Final

from chalicelib.adapters.aws.due import due_shard
from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import epoch_ms, rfc3339
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import RenderId
from chalicelib.features.workspaces import quota
from chalicelib.features.workspaces.limits import Claim
from chalicelib.features.workspaces.limits_update import LimitsUpdate, Parts
from chalicelib.features.workspaces.model import Workspace

# What a test render holds of the allowance.
NO_HOLD: Final = ""
# Beyond this many unfinished renders the item would near DynamoDB's 400 KB: batches hold more.
MAX_OPEN_RENDERS: Final = 4_000
_RECONCILE_AFTER: Final = dt.timedelta(minutes=5)
_SECOND_MS: Final = 1_000
_MINUTE_MS: Final = 60_000


def plan(claim: Claim, seen: Item, now: dt.datetime) -> LimitsUpdate | None:
    """Build the update that admits a render, given the item as last seen.

    None: the item shows that the render is admitted already. Raises `rate_limited`,
    `concurrency_limited` or `render_limit_reached` when the item as seen refuses it.
    """
    if claim.render_id in seen["holds"]:
        return None
    parts = Parts()
    limits = claim.workspace.plan
    _rate(parts, "rate_tat", seen, now, count=limits.rate_limit_rps, period_ms=_SECOND_MS)
    if claim.test:
        count = limits.test_renders_per_minute
        _rate(parts, "test_tat", seen, now, count=count, period_ms=_MINUTE_MS)
    if claim.lease_until is not None:
        _lease(parts, claim, seen, now)
    _hold(parts, claim, seen, now)
    parts.sets += [
        "due_at = if_not_exists(due_at, :due)",
        "DPK = if_not_exists(DPK, :dpk)",
    ]
    parts.values |= {
        ":due": rfc3339(now + _RECONCILE_AFTER),
        ":dpk": due_shard(claim.render_id),
    }
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
    count = workspace.plan.rate_limit_rps
    _rate(parts, "rate_tat", seen, now, count=count, period_ms=_SECOND_MS)
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


def _rate(
    parts: Parts,
    name: str,
    seen: Item,
    now: dt.datetime,
    *,
    count: int,
    period_ms: int,
) -> None:
    now_ms, step = epoch_ms(now), period_ms // count
    latest = now_ms + (count - 1) * step
    if seen[name] > latest:
        raise _rate_limited(seen[name] - latest)
    parts.values |= {f":{name}_now": now_ms, f":{name}_step": step}
    if seen[name] <= now_ms:
        parts.sets.append(f"{name} = :{name}_next")
        parts.conditions.append(f"{name} <= :{name}_now")
        parts.values[f":{name}_next"] = now_ms + step
        del parts.values[f":{name}_step"]
    else:
        parts.sets.append(f"{name} = {name} + :{name}_step")
        parts.conditions.append(f"{name} BETWEEN :{name}_now AND :{name}_latest")
        parts.values[f":{name}_latest"] = latest


def _lease(parts: Parts, claim: Claim, seen: Item, now: dt.datetime) -> None:
    assert claim.lease_until is not None
    now_s = int(now.timestamp())
    over = [render_id for render_id, until in seen["leases"].items() if until <= now_s]
    allowed = claim.workspace.plan.sync_concurrency
    if len(seen["leases"]) - len(over) >= allowed:
        raise _busy(claim.workspace, "sync renders at once", allowed)
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
    parts.names["#r"] = claim.render_id
    parts.values |= {
        ":lease_until": int(claim.lease_until.timestamp()),
        ":lease_room": allowed + len(over),
    }


def _hold(parts: Parts, claim: Claim, seen: Item, now: dt.datetime) -> None:
    """Let the render stand in the item until it is settled; a live one takes of the quota."""
    if len(seen["holds"]) >= MAX_OPEN_RENDERS:
        raise _busy(claim.workspace, "unfinished renders", MAX_OPEN_RENDERS)
    parts.names["#r"] = claim.render_id
    parts.conditions += ["attribute_not_exists(holds.#r)", "size(holds) < :open"]
    parts.values[":open"] = MAX_OPEN_RENDERS
    if claim.test:
        parts.sets.append("holds.#r = :no_hold")
        parts.values[":no_hold"] = NO_HOLD
    else:
        quota.take(parts, claim.workspace, seen, now)


def _rate_limited(wait_ms: int) -> ServiceError:
    wait_s = max(1, -(-wait_ms // _SECOND_MS))
    return ServiceError(
        "rate_limited",
        f"Too many requests for this plan. Try again in {wait_s} s.",
        headers={"Retry-After": str(wait_s)},
    )


def _busy(workspace: Workspace, what: str, allowed: int) -> ServiceError:
    return ServiceError(
        "concurrency_limited",
        f"The plan {workspace.plan_code} allows {allowed} {what}; wait for one to end, "
        "or send mode async.",
        headers={"Retry-After": "1"},
    )
