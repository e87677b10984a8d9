"""`/v1/account` and `/v1/usage`: plan, allowance and usage of a workspace."""

from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.features.usage.read import requested_days
from chalicelib.features.workspaces import present
from chalicelib.features.workspaces.limits.model import allowance


@endpoint(
    "GET",
    "/v1/account",
    scope="account:read",
    tag="Account",
    answers={200: "chalicelib.contract.account:Account"},
)
def retrieve(call: Call) -> Reply:
    """Retrieve the account.

    The plan with its limits, the current billing cycle and the renders that are left in it. Test
    renders do not count.
    """
    workspace = call.caller.workspace
    limits = call.services.limits.get(workspace.id)
    return Reply(200, present.account_object(workspace, limits, call.services.clock.now()))


@endpoint(
    "GET",
    "/v1/usage",
    scope="account:read",
    query="chalicelib.contract.account:UsageQuery",
    tag="Account",
    answers={200: "chalicelib.contract.account:Usage"},
)
def usage(call: Call) -> Reply:
    """Count finished renders by day, template and format.

    The range has at most 366 days; the default is the current cycle up to today. A finished render
    is counted within seconds. The renders that are left are in the account.
    """
    workspace, now = call.caller.workspace, call.services.clock.now()
    current = allowance(workspace, call.services.limits.get(workspace.id), now)
    days = requested_days(call.query.from_, call.query.to, current.cycle_start, now)
    statistics = call.services.read_usage(workspace.id, days)
    return Reply(200, {"object": "usage", "cycle": present.cycle_object(current), **statistics})
