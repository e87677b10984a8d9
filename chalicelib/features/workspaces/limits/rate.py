"""Rates of a workspace (GCRA): requests per second, test renders per minute."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.table import Row
from chalicelib.core.clock import epoch_ms
from chalicelib.core.errors import ServiceError
from chalicelib.features.workspaces.limits.item.update import LimitsUpdateBuilder
from chalicelib.features.workspaces.limits.model import RateState
from chalicelib.features.workspaces.plans import Plan

_SECOND_MS: Final = 1_000
_MINUTE_MS: Final = 60_000
# Clocks of two servers differ by less.
_MAX_SKEW_MS: Final = 60_000


class RateLimited(ServiceError):  # noqa: N818 -- reads as the answer it gives
    """Error of an exceeded rate; `rate` is None if the request itself is not counted yet."""

    def __init__(self, detail: str, wait_s: int, rate: RateState | None) -> None:
        """Build the error; `wait_s` becomes Retry-After."""
        super().__init__(
            "rate_limited",
            f"{detail} Try again in {wait_s} s.",
            headers={"Retry-After": str(wait_s)},
        )
        self.rate = rate


@dataclass(frozen=True, slots=True)
class RateWindow:
    """Rate of `count` per `period_ms`; `attribute` of the limits item holds its GCRA time."""

    attribute: str
    count: int
    period_ms: int

    @property
    def emission_interval_ms(self) -> int:
        """Return the interval that one request uses."""
        return self.period_ms // self.count

    @property
    def burst_tolerance_ms(self) -> int:
        """Return how far the GCRA time may be ahead of now for a request to be admitted."""
        return (self.count - 1) * self.emission_interval_ms

    def time_in(self, item: Row, now_ms: int) -> int:
        """Return the GCRA time of an item, or 0 if it was written before the clock was set back.

        No request sets it further ahead than one period. Without this a workspace would be refused
        until the clock is where it was.
        """
        time: int = item[self.attribute]
        return 0 if time > now_ms + self.period_ms + _MAX_SKEW_MS else time


def request_window(plan: Plan) -> RateWindow:
    """Return the window of requests; creations of renders and all others are counted apart."""
    return RateWindow("rate_tat", plan.rate_limit_rps, _SECOND_MS)


def test_render_window(plan: Plan) -> RateWindow:
    """Return the window of test renders."""
    return RateWindow("test_tat", plan.test_renders_per_minute, _MINUTE_MS)


def rate_state(plan: Plan, item: Row, now: dt.datetime) -> RateState:
    """Return the state of the request rate in the limits item."""
    window = request_window(plan)
    now_ms = epoch_ms(now)
    ahead = max(0, window.time_in(item, now_ms) - now_ms)
    remaining = max(0, window.count - -(-ahead // window.emission_interval_ms))
    return RateState(window.count, remaining, -(-ahead // _SECOND_MS))


def take_rate(
    builder: LimitsUpdateBuilder,
    windows: Sequence[RateWindow],
    plan: Plan,
    seen: Row,
    now: dt.datetime,
) -> None:
    """Take one request from each window; raise RateLimited with the longest wait."""
    require_rate(windows, plan, seen, now)
    for window in windows:
        _take_window(builder, window, seen, epoch_ms(now))


def require_rate(windows: Sequence[RateWindow], plan: Plan, seen: Row, now: dt.datetime) -> None:
    """Raise RateLimited if a window is full.

    An older item is enough: a window recovers with time only, so it is full until then.
    """
    now_ms = epoch_ms(now)
    waits = {
        window: window.time_in(seen, now_ms) - now_ms - window.burst_tolerance_ms
        for window in windows
    }
    full = [window for window, wait_ms in waits.items() if wait_ms > 0]
    if full:
        wait_s = -(-max(waits.values()) // _SECOND_MS)
        if full[0].attribute == request_window(plan).attribute:
            detail = f"The plan {plan.code} allows {full[0].count} requests a second."
            raise RateLimited(detail, wait_s, rate_state(plan, seen, now))
        detail = f"The plan {plan.code} allows {full[0].count} test renders a minute."
        raise RateLimited(detail, wait_s, None)


def take_test_renders(
    builder: LimitsUpdateBuilder, plan: Plan, count: int, seen: Row, now: dt.datetime
) -> int:
    """Take up to `count` test renders of the minute, return how many; raise RateLimited."""
    window = test_render_window(plan)
    require_rate([window], plan, seen, now)
    now_ms, name = epoch_ms(now), window.attribute
    begin_ms = max(window.time_in(seen, now_ms), now_ms)
    room = (now_ms + window.burst_tolerance_ms - begin_ms) // window.emission_interval_ms + 1
    taken = min(count, room)
    builder.sets.append(f"{name} = :next")
    builder.conditions.append(f"{name} = :seen")
    builder.values |= {
        ":next": begin_ms + taken * window.emission_interval_ms,
        ":seen": seen[name],
    }
    return taken


def _take_window(builder: LimitsUpdateBuilder, window: RateWindow, seen: Row, now_ms: int) -> None:
    name = window.attribute
    if window.time_in(seen, now_ms) < seen[name]:
        builder.sets.append(f"{name} = :{name}_next")
        builder.conditions.append(f"{name} = :{name}_seen")
        builder.values |= {
            f":{name}_next": now_ms + window.emission_interval_ms,
            f":{name}_seen": seen[name],
        }
        return
    builder.values[f":{name}_now"] = now_ms
    if seen[name] <= now_ms:
        builder.sets.append(f"{name} = :{name}_next")
        builder.conditions.append(f"{name} <= :{name}_now")
        builder.values[f":{name}_next"] = now_ms + window.emission_interval_ms
    else:
        builder.sets.append(f"{name} = {name} + :{name}_step")
        builder.conditions.append(f"{name} BETWEEN :{name}_now AND :{name}_latest")
        builder.values |= {
            f":{name}_step": window.emission_interval_ms,
            f":{name}_latest": now_ms + window.burst_tolerance_ms,
        }
