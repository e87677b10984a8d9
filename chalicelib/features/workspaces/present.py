"""API object of an account: plan, allowance and limits of a workspace."""

import datetime as dt
from typing import Any

from chalicelib.adapters.aws.table import Item
from chalicelib.features.workspaces.limits.model import Allowance, allowance
from chalicelib.features.workspaces.model import Workspace


def account_object(workspace: Workspace, limits: Item, now: dt.datetime) -> dict[str, Any]:
    """Return the account object; `limits` is the limits item of the workspace."""
    plan = workspace.plan
    current = allowance(workspace, limits, now)
    return {
        "workspace": {"id": workspace.id, "name": workspace.name},
        "plan": {"code": plan.code, "interval": "month"},
        "cycle": cycle_object(current),
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


def cycle_object(current: Allowance) -> dict[str, str]:
    """Return the object of the current billing cycle."""
    return {"start": current.cycle_start, "end": current.cycle_end}
