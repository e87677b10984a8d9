"""`/v1/account` and `/v1/usage`: plan, allowance and usage of a workspace."""

import datetime as dt
from typing import Final

from chalice.app import Blueprint

from chalicelib.adapters.aws.table import Row
from chalicelib.api.edge.auth import KeyAuth, Principal
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.core.clock import format_rfc3339
from chalicelib.features.usage.read import requested_days
from chalicelib.features.workspaces.limits.model import Allowance, allowance, sync_places_held
from chalicelib.features.workspaces.limits.rate import rate_state
from chalicelib.features.workspaces.model import Workspace

blueprint: Final = Blueprint(__name__)


@blueprint.route("/v1/account", methods=["GET"])
@endpoint(
    auth=KeyAuth("account:read"),
    tag="Account",
    answers={200: "chalicelib.contract.account:Account"},
)
def retrieve_account(call: Call) -> Reply:
    """Retrieve the account.

    The plan with its limits and what of them is in use, the current billing cycle and the renders
    that are left in it, and what the key may do. Test renders do not count.
    """
    workspace, now = call.caller.workspace, call.services.clock.now()
    limits = call.services.limits.get(workspace.id)
    bulk = call.services.batches.read.in_flight(workspace.id)
    in_use = _in_use_object(workspace, limits, bulk, now)
    account = _account_object(workspace, limits, now)
    return Reply(200, {**account, "in_use": in_use, "key": _key_object(call.caller)})


@blueprint.route("/v1/usage", methods=["GET"])
@endpoint(
    auth=KeyAuth("account:read"),
    query="chalicelib.contract.account:UsageQuery",
    tag="Account",
    answers={200: "chalicelib.contract.account:Usage"},
)
def retrieve_usage(call: Call) -> Reply:
    """Count finished renders by day, template and format.

    The range has at most 366 days; the default is the current cycle up to today. A finished render
    is counted within seconds. The renders that are left are in the account.
    """
    workspace, now = call.caller.workspace, call.services.clock.now()
    current = allowance(workspace, call.services.limits.get(workspace.id), now)
    days = requested_days(call.query.from_, call.query.to, current.cycle_start, now)
    statistics = call.services.usage.read(workspace.id, days)
    return Reply(200, {"object": "usage", "cycle": _cycle_object(current), **statistics})


def _account_object(workspace: Workspace, limits: Row, now: dt.datetime) -> dict[str, object]:
    """Return the account object; `limits` is the limits item of the workspace."""
    plan = workspace.plan
    current = allowance(workspace, limits, now)
    return {
        "workspace": {"id": workspace.id, "name": workspace.name},
        "plan": {"code": plan.code, "interval": "month"},
        "cycle": _cycle_object(current),
        "renders": {
            "included": plan.included_renders,
            "used": current.used,
            "remaining_included": current.included_left,
            "prepaid_remaining": current.prepaid_left,
            "spend_cap_cents": workspace.spend_cap_cents,
        },
        "limits": {
            "bulk_concurrency": plan.bulk_concurrency,
            "max_pages": plan.max_pages,
            "max_payload_mb": plan.max_payload_mb,
            "rate_limit_rps": plan.rate_limit_rps,
            "sync_concurrency": plan.sync_concurrency,
            "sync_timeout_s": plan.sync_timeout_s,
        },
        "regions": list(workspace.regions),
    }


def _in_use_object(
    workspace: Workspace, limits: Row, bulk: int, now: dt.datetime
) -> dict[str, int]:
    """Return what of the limits is in use; `bulk` is the number of items in flight."""
    rate = rate_state(workspace.plan, limits, now)
    return {
        "sync": sync_places_held(limits, now),
        "bulk": bulk,
        "rate": rate.limit - rate.remaining,
    }


def _key_object(caller: Principal) -> dict[str, object]:
    """Return the object of the key that asks."""
    assert caller.key is not None
    ends_at = caller.key.expires_at
    return {
        "id": f"key_{caller.key.id}",
        "name": caller.key.name,
        "mode": caller.mode,
        "scopes": sorted(caller.scopes),
        "template_ids": list(caller.templates),
        "expires_at": None if ends_at is None else format_rfc3339(ends_at),
    }


def _cycle_object(current: Allowance) -> dict[str, str]:
    """Return the object of the current billing cycle."""
    return {"start": current.cycle_start, "end": current.cycle_end}
