"""Billing cycles: months that begin on the day of the workspace's creation."""

import calendar
import datetime as dt
from typing import NamedTuple


class BillingCycle(NamedTuple):
    """One billing cycle; `end` is exclusive."""

    start: dt.datetime
    end: dt.datetime


def billing_cycle_at(created: dt.datetime, now: dt.datetime) -> BillingCycle:
    """Return the cycle that contains `now`; a 31st becomes the last day of a short month."""
    months = (now.year - created.year) * 12 + now.month - created.month
    if _anniversary(created, months) > now:
        months -= 1
    return BillingCycle(_anniversary(created, months), _anniversary(created, months + 1))


def _anniversary(created: dt.datetime, months: int) -> dt.datetime:
    year, month = divmod(created.month - 1 + months, 12)
    last_day = calendar.monthrange(created.year + year, month + 1)[1]
    return created.replace(
        year=created.year + year, month=month + 1, day=min(created.day, last_day)
    )
