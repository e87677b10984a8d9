"""Limits of a workspace: the attributes of its item, and the values of requests to it.

The limits item of a workspace (`WS#<ws>#LIM`) has
- `rate_tat`, `test_tat`: GCRA's theoretical arrival time of requests and of test renders, in
  milliseconds since 1970;
- `counted`: token of the last request that was counted without a render; a retry has the same;
- `leases`: id of a sync render, or of other work that its caller waits for -> Unix second at which
  its lease expires;
- `holds`: id of each unfinished render -> end of the cycle whose allowance it uses;
  empty for a test render, which uses none, `prepaid` for a render of a pack;
- `quota_left`, `used`, `cycle_start`, `cycle_end`: allowance of the plan in the current cycle;
- `prepaid_left`: renders left of packs; `topups`: packs bought automatically in this cycle;
- `notified_thresholds`: usage threshold -> end of the cycle in which the owners were last notified;
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
    """Request of one render to the limits; `lease_until` is None for an async render."""

    render_id: RenderId
    workspace: Workspace
    test: bool
    lease_until: dt.datetime | None


class Lease(NamedTuple):
    """Place in the sync concurrency of a workspace; it expires at `until`."""

    id: RenderId
    workspace: Workspace
    until: dt.datetime


class Reservation(NamedTuple):
    """Hold of a render (as in the limits item; empty for a test), and whether it has a lease."""

    hold: str
    has_lease: bool


class RateState(NamedTuple):
    """Values of the RateLimit headers: requests left now, and seconds until all are restored."""

    limit: int
    remaining: int
    reset_s: int


class Allowance(NamedTuple):
    """Renders used and left in a billing cycle, and renders left of packs."""

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
    """Return the allowance of the current cycle, also before its first render."""
    cycle = billing_cycle_at(parse_rfc3339(workspace.created_at), now)
    prepaid = prepaid_left(item)
    if item["cycle_end"] >= format_rfc3339(cycle.end):
        # Negative after a change to a smaller plan.
        left = max(0, item["quota_left"])
        return Allowance(item["used"], left, prepaid, item["cycle_start"], item["cycle_end"])
    included = workspace.plan.included_renders
    return Allowance(0, included, prepaid, format_rfc3339(cycle.start), format_rfc3339(cycle.end))
