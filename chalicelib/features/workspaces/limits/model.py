"""Limits of a workspace: the attributes of its items, and the values of requests to them.

The limits item of a workspace (`WS#<ws>#LIM`, `META`) has
- `rate_tat`, `test_tat`: GCRA's theoretical arrival time of creations and of test renders, in
  milliseconds since 1970;
- `counted`: token of the last creation that was counted without an admission; a retry has the same;
- `leases`: id of a sync render, of the render of a rule's test, or of other work that its caller
  waits for -> Unix second at which its lease expires;
- `holds`: id of each holder whose row is not known to hold yet, and of each unfinished sync render
  -> its hold (`Hold.to_text`);
- `included`: renders of the plan in the current cycle; `used`, `quota_left`: those that ended
  billed, and those that nobody holds;
- `folded_used`, `folded_returned`, `folded_prepaid`: totals of ended holds (`ended_holds/`) that
  `used`, `quota_left` and `prepaid_left` contain;
- `cycle_start`, `cycle_end`: the current cycle;
- `prepaid_left`: renders left of packs; `topups`: packs bought automatically in this cycle;
- `notified_thresholds`: usage threshold -> end of the cycle in which the owners were last notified;
- `passed_<percent>`: when a usage threshold was passed in this cycle, and the number of used
  renders then (`PassedThreshold`);
- `due_at`: when `holds` and `leases` are next compared with the renders themselves.

All other requests are counted in an item of their own (`WS#<ws>#LIM`, `RATE`), with `rate_tat` and
`counted`.
"""

import datetime as dt
from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.adapters.aws.due_items import DueItem, DueKind
from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.workspaces.limits.billing_cycle import billing_cycle_at
from chalicelib.features.workspaces.model import Workspace

DUE_LIMITS: Final = DueKind("limits", shards=8)
# The source of a render of a pack; the source of an included render is the end of its cycle.
PREPAID: Final = "prepaid"
# The source of a test render, which takes nothing of the allowance.
NOTHING: Final = ""


def due_limits(workspace_id: WorkspaceId) -> DueItem:
    """Return the message that a workspace's limits item is to be reconciled now."""
    return DueItem(DUE_LIMITS.name, limits_partition(workspace_id))


class Hold(NamedTuple):
    """Renders taken of the allowance until their holder ends; all of one source."""

    source: str
    renders: int = 1

    def to_text(self) -> str:
        """Return the value of an entry of `holds`."""
        return self.source if self.renders == 1 else f"{self.source}*{self.renders}"

    @classmethod
    def from_text(cls, text: str) -> "Hold":
        """Parse the text that `to_text` wrote."""
        source, _, renders = text.partition("*")
        return cls(source, int(renders or 1))


class ReservationRequest(NamedTuple):
    """Request of one render to the limits; `lease_until` is None for one without a lease.

    `is_async`: the render is made in the background although it has a lease.
    """

    render_id: RenderId
    workspace: Workspace
    test: bool
    lease_until: dt.datetime | None
    is_async: bool = False

    @property
    def is_settled_by_relay(self) -> bool:
        """Tell whether the row of the render holds."""
        return self.is_async or self.lease_until is None


class Holder(NamedTuple):
    """Something other than a render that wants to hold up to `renders` live ones."""

    id: str
    workspace: Workspace
    renders: int


class Lease(NamedTuple):
    """Place in the sync concurrency of a workspace; it expires at `until`."""

    id: RenderId
    workspace: Workspace
    until: dt.datetime


class Reservation(NamedTuple):
    """Source of a render's hold, whether it has a lease, and who settles it (decision 2).

    With `is_settled_by_relay` the row of the render holds. Otherwise its entry in the limits item
    does.
    """

    source: str
    has_lease: bool
    is_settled_by_relay: bool = False


class Admission(NamedTuple):
    """Admitted render.

    `unconfirmed` has the ids of other holders whose rows are worth reading, to confirm them.
    """

    reservation: Reservation
    rate: "RateState"
    unconfirmed: Sequence[str]


class EndedHold(NamedTuple):
    """Hold of a holder that has ended; `billed` tells whether its renders were used."""

    holder_id: str
    hold: Hold
    billed: bool


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


def limits_key(workspace_id: str) -> Row:
    """Return the key of the limits item."""
    return {"PK": limits_partition(workspace_id), "SK": "META"}


class PassedThreshold(NamedTuple):
    """When a usage threshold was passed, and the number of used renders then."""

    at: str
    used: int


def passed_attribute(threshold: str) -> str:
    """Return the attribute that has when a threshold was passed in the current cycle."""
    return f"passed_{threshold}"


def find_passed(item: Row, threshold: str) -> PassedThreshold | None:
    """Return the time at which a threshold was passed in the item's cycle, or None if unknown."""
    kept = item.get(passed_attribute(threshold))
    return None if kept is None else PassedThreshold(*kept)


def limits_partition(workspace_id: str) -> str:
    """Return the partition of a workspace's limits."""
    return f"WS#{workspace_id}#LIM"


def new_limits(workspace: Workspace, now: dt.datetime) -> Row:
    """Return the limits item of a new workspace."""
    cycle = billing_cycle_at(parse_rfc3339(workspace.created_at), now)
    return limits_key(workspace.id) | {
        "rate_tat": 0,
        "test_tat": 0,
        "counted": "",
        "leases": {},
        "holds": {},
        "included": workspace.plan.included_renders,
        "quota_left": workspace.plan.included_renders,
        "used": 0,
        "folded_used": 0,
        "folded_returned": 0,
        "folded_prepaid": 0,
        "prepaid_left": 0,
        "topups": 0,
        "notified_thresholds": {},
        "cycle_start": format_rfc3339(cycle.start),
        "cycle_end": format_rfc3339(cycle.end),
    }


def new_rate(workspace: Workspace) -> Row:
    """Return the rate item of a new workspace."""
    return {"PK": limits_partition(workspace.id), "SK": "RATE", "rate_tat": 0, "counted": ""}


def allowance(workspace: Workspace, item: Row, now: dt.datetime) -> Allowance:
    """Return the allowance of the current cycle, also before its first render."""
    cycle = billing_cycle_at(parse_rfc3339(workspace.created_at), now)
    prepaid = item["prepaid_left"]
    if item["cycle_end"] >= format_rfc3339(cycle.end):
        # Negative after a change to a smaller plan.
        left = max(0, item["quota_left"])
        return Allowance(item["used"], left, prepaid, item["cycle_start"], item["cycle_end"])
    included = workspace.plan.included_renders
    return Allowance(0, included, prepaid, format_rfc3339(cycle.start), format_rfc3339(cycle.end))


def sync_places_held(item: Row, now: dt.datetime) -> int:
    """Return how many places of the sync concurrency are held."""
    now_s = int(now.timestamp())
    return sum(until > now_s for until in item["leases"].values())
