"""Rate of requests that make no render, in an item that does nothing else (decision 2)."""

import datetime as dt
import secrets
from collections.abc import Callable

from chalicelib.adapters.aws.table import Row, Table
from chalicelib.core.clock import Clock
from chalicelib.features.workspaces.limits import admission, rate
from chalicelib.features.workspaces.limits.item.repository import ConditionalItem
from chalicelib.features.workspaces.limits.item.update import LimitsUpdate, LimitsUpdateBuilder
from chalicelib.features.workspaces.limits.model import RateState
from chalicelib.features.workspaces.limits.rate import RateLimited, rate_state
from chalicelib.features.workspaces.model import Workspace


class RequestRate:
    """Rates of all workspaces."""

    def __init__(self, table: Table, clock: Clock) -> None:
        """Count in `table`."""
        self._items = ConditionalItem(table, "RATE")
        self._clock = clock

    def count(self, workspace: Workspace, now: dt.datetime) -> RateState:
        """Take one request from the rate; raise `rate_limited`."""
        return count_once(self._items, workspace, now, self._clock)


class RateOfTestRenders:
    """Rate of test renders, for those that a batch releases several at once."""

    def __init__(self, table: Table) -> None:
        """Take of the limits items in `table`."""
        self._items = ConditionalItem(table, "META")

    def take_renders(self, workspace: Workspace, count: int, now: dt.datetime) -> int:
        """Take up to `count` renders of the minute, and return how many; 0 if none is free.

        A call whose answer is lost takes them in vain.
        """
        taken = 0

        def plan(seen: Row) -> LimitsUpdate:
            nonlocal taken
            builder = LimitsUpdateBuilder()
            taken = rate.take_test_renders(builder, workspace.plan, count, seen, now)
            return builder.build()

        try:
            self._items.apply(workspace.id, plan)
        except RateLimited:
            return 0
        return taken


def count_once(
    items: ConditionalItem, workspace: Workspace, now: dt.datetime, clock: Clock
) -> RateState:
    """Take one from the rate in an item, also if the response of a try is lost."""
    token = secrets.token_hex(8)
    item = items.apply(
        workspace.id,
        lambda seen: at_arrival(
            lambda at: admission.plan_request(workspace, token, seen, at), now, clock
        ),
    )
    return rate_state(workspace.plan, item, now)


def at_arrival(
    plan: Callable[[dt.datetime], LimitsUpdate | None], now: dt.datetime, clock: Clock
) -> LimitsUpdate | None:
    """Return the update planned for the arrival of a request; if the rate refuses it, for now.

    A retry that counted at its own time would find the rate moved on by others again and again.
    """
    try:
        return plan(now)
    except RateLimited:
        return plan(max(now, clock.now()))
