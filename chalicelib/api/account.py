"""`/v1/account` and `/v1/usage`: what a workspace may render, and what it has rendered."""

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

    The plan, the present billing cycle, what is left of its renders, and what the plan allows.
    Test renders use nothing of it.
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

    Statistics of a range of at most 366 days, by default the present cycle up to today. They
    follow a render's end within seconds; what may still be rendered stands in the account.
    """
    workspace, now = call.caller.workspace, call.services.clock.now()
    found = allowance(workspace, call.services.limits.get(workspace.id), now)
    days = requested_days(call.query.from_, call.query.to, found.cycle_start, now)
    read = call.services.read_usage(workspace.id, days)
    return Reply(200, {"object": "usage", "cycle": present.cycle_object(found), **read})
