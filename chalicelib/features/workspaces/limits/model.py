"""A workspace's limits: what the item holds, and what is asked of it.

The limits item of a workspace (`WS#<ws>#LIM`) has
- `rate_tat`, `test_tat`: when the workspace's requests, and its test renders, will have been
  paid for (GCRA's theoretical arrival time, in milliseconds since 1970);
- `counted`: the last request that was counted without a render, so that a repeat is not;
- `leases`: id of a sync render, or of other work that its caller waits for -> Unix second at which
  its place in the concurrency is free anyway;
- `holds`: id of each unfinished render -> end of the cycle whose allowance it holds a render of;
  empty for a test render, which holds none, `prepaid` for one of a pack;
- `quota_left`, `used`, `cycle_start`, `cycle_end`: of the renders that the plan includes;
- `prepaid_left`: renders left of packs; `topups`: packs bought automatically in this cycle;
- `notified_thresholds`: usage threshold -> end of the cycle for which it was told;
- `due_at`: when holds and leases are next compared with the renders themselves.
"""

import datetime as dt
from typing import NamedTuple

from chalicelib.adapters.aws.table import Item
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import RenderId
from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at
from chalicelib.features.workspaces.limits.quota import prepaid_left
from chalicelib.features.workspaces.model import Workspace


class ReservationRequest(NamedTuple):
    """What one render wants of its workspace's limits."""

    render_id: RenderId
    workspace: Workspace
    test: bool
    lease_until: dt.datetime | None


class Lease(NamedTuple):
    """A place in the concurrency of a workspace; it is free anyway from `until` on."""

    id: RenderId
    workspace: Workspace
    until: dt.datetime


class Reservation(NamedTuple):
    """What a render took: a hold, as the limits item has it (empty: a test), and a lease."""

    hold: str
    has_lease: bool


class RateState(NamedTuple):
    """What the RateLimit headers tell: requests left now, and seconds until all are back."""

    limit: int
    remaining: int
    reset_s: int


class Allowance(NamedTuple):
    """What of a cycle's renders is used and left, and what is left of packs."""

    used: int
    included_left: int
    prepaid_left: int
    cycle_start: str
    cycle_end: str


def new_limits(workspace: Workspace, now: dt.datetime) -> Item:
    """Return the limits item of a new workspace."""
    cycle = billing_cycle_at(parse_rfc3339(workspace.created_at), now)
    return {
        "PK": f"WS#{workspace.id}#LIM",
        "SK": "META",
        "rate_tat": 0,
        "test_tat": 0,
        "counted": "",
        "leases": {},
        "holds": {},
        "quota_left": workspace.plan.included_renders,
        "used": 0,
        "prepaid_left": 0,
        "topups": 0,
        "cycle_start": format_rfc3339(cycle.start),
        "cycle_end": format_rfc3339(cycle.end),
    }


def allowance(workspace: Workspace, item: Item, now: dt.datetime) -> Allowance:
    """Read the allowance of the present cycle, whether or not a render has begun it."""
    cycle = billing_cycle_at(parse_rfc3339(workspace.created_at), now)
    prepaid = prepaid_left(item)
    if item["cycle_end"] >= format_rfc3339(cycle.end):
        # A smaller plan may have taken away more than was left.
        left = max(0, item["quota_left"])
        return Allowance(item["used"], left, prepaid, item["cycle_start"], item["cycle_end"])
    included = workspace.plan.included_renders
    return Allowance(0, included, prepaid, format_rfc3339(cycle.start), format_rfc3339(cycle.end))
