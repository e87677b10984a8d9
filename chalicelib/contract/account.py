"""Account and usage of a workspace."""

import datetime as dt
from typing import Literal

from pydantic import Field

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import Day


class AccountWorkspace(Model):
    """The workspace that the key belongs to."""

    id: str
    name: str


class AccountPlan(Model):
    """The workspace's plan and its billing interval."""

    code: str
    interval: Literal["month", "year"]


class BillingCycle(Model):
    """The present billing cycle; `end` is the first moment that is no longer in it."""

    start: dt.datetime
    end: dt.datetime


class AccountRenders(Model):
    """The allowance of renders with live keys."""

    included: int
    """Billed renders that the plan includes in the cycle."""
    used: int
    """Included renders that are used."""
    remaining_included: int
    """Included renders that are left; an unfinished render reserves one until it ends."""
    prepaid_remaining: int
    """Renders left in packs and automatic top-ups; they do not end with the cycle."""
    spend_cap_cents: int
    """Monthly limit in euro cents, without tax, for the plan's price and all automatic top-ups of
    the cycle. A pack of 1 000 renders for 1 000 cents is bought while the sum stays within it. 0:
    no top-ups."""


class AccountLimits(Model):
    """Limits of the plan."""

    bulk_concurrency: int
    max_pages: int
    max_payload_mb: int
    rate_limit_rps: int
    """Requests per second that create renders, and as many others."""
    sync_concurrency: int
    """Sync renders, publishings, preflights and checks of e-invoices at once."""
    sync_timeout_s: int


class Account(Model):
    """A workspace's plan, allowance and limits."""

    workspace: AccountWorkspace
    plan: AccountPlan
    cycle: BillingCycle
    renders: AccountRenders
    limits: AccountLimits
    regions: list[str]
    """Regions in which the workspace may render."""


class UsageDay(Model):
    """One day in UTC."""

    date: dt.date
    live: int
    """Renders with live keys that succeeded; only these are billed."""
    test: int
    """Renders with test keys that succeeded; never billed."""
    failed: int
    """Renders that failed, with keys of either mode; never billed."""


class UsageByTemplate(Model):
    """Finished renders of one template."""

    template_id: str
    live: int
    test: int
    failed: int


class UsageByFormat(Model):
    """Renders that had a file of this format; one with several formats counts for each."""

    format: str
    live: int
    test: int
    failed: int


class Usage(Model):
    """Finished renders, by the day on which they were finished."""

    object: Literal["usage"]
    cycle: BillingCycle
    days: list[UsageDay]
    """Every day of the range, also those without a render."""
    by_template: list[UsageByTemplate]
    """The most rendered first, at most 1 000."""
    by_format: list[UsageByFormat]
    """The most rendered first."""


class UsageThreshold(Model):
    """A threshold of the usage in a billing cycle, as it was reached."""

    object: Literal["usage_threshold"]
    kind: Literal["included_renders", "top_ups"]
    """`top_ups`: the renders are used, and `spend_cap_cents` allows no further pack."""
    threshold_percent: int | None
    """50, 80 or 100 % of the included renders; null for `top_ups`."""
    included: int
    used: int
    prepaid_remaining: int
    spend_cap_cents: int
    cycle: BillingCycle


class UsageQuery(Query):
    """The first and the last day; by default the present cycle up to today."""

    from_: Day | None = Field(default=None, alias="from")
    """A date such as 2026-01-31, UTC."""
    to: Day | None = None
    """A date; at most 366 days in all."""
