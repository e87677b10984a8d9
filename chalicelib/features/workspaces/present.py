"""A workspace's plan, allowance and limits, as its owner sees them."""

import datetime as dt
from typing import Any

from chalicelib.adapters.aws.table import Item
from chalicelib.features.workspaces.limits.model import Allowance, allowance
from chalicelib.features.workspaces.model import Workspace


def account_object(workspace: Workspace, limits: Item, now: dt.datetime) -> dict[str, Any]:
    """Return the account, given the workspace's limits item."""
    plan = workspace.plan
    found = allowance(workspace, limits, now)
    return {
        "workspace": {"id": workspace.id, "name": workspace.name},
        "plan": {"code": plan.code, "interval": "month"},
        "cycle": cycle_object(found),
        "renders": {
            "included": plan.included_renders,
            "used": found.used,
            "remaining_included": found.included_left,
            "prepaid_remaining": found.prepaid_left,
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


def cycle_object(found: Allowance) -> dict[str, str]:
    """Return the present cycle."""
    return {"start": found.cycle_start, "end": found.cycle_end}
