"""Account and usage of a workspace."""

import datetime as dt
from typing import Literal

from pydantic import Field

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import Count, Day


class AccountWorkspace(Model):
    """The workspace that the key belongs to."""

    id: str
    """Id of the workspace, `ws_…`."""
    name: str
    """Name of the workspace."""


class AccountPlan(Model):
    """The workspace's plan and its billing interval."""

    code: str
    """Code of the plan: `free`, `starter`, `growth`, `pro`, `scale` or `self_hosted`."""
    interval: Literal["month", "year"]
    """How often the plan is billed."""


class BillingCycle(Model):
    """The present billing cycle; `end` is the first moment that is no longer in it."""

    start: dt.datetime
    """First moment of the cycle."""
    end: dt.datetime
    """First moment after the cycle."""


class AccountRenders(Model):
    """The allowance of renders with live keys."""

    included: int
    """Billed renders that the plan includes in the cycle."""
    used: int
    """Included renders that are used in the cycle."""
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
    """Items of batches that are rendered at once."""
    max_pages: int
    """Pages that one document may have."""
    max_payload_mb: int
    """Largest body of a request, in megabytes of 1 000 000 bytes."""
    rate_limit_rps: int
    """Requests per second that create renders, and as many others."""
    sync_concurrency: int
    """Sync renders, publishings, preflights and checks of e-invoices at once."""
    sync_timeout_s: int
    """Seconds that a sync render may take."""


class AccountInUse(Model):
    """What of the limits is in use at this moment. Reading it changes nothing."""

    sync: Count
    """Places held of `sync_concurrency`."""
    bulk: Count
    """Items of batches that are queued or running, of `bulk_concurrency`."""
    rate: Count
    """Requests that create renders, counted in the present second, of `rate_limit_rps`."""


class AccountKey(Model):
    """The API key of the request."""

    id: str
    """Id of the key, `key_…`: no secret."""
    name: str
    """Name of the key."""
    mode: Literal["test", "live"]
    """Mode of the key. With `test` all renders are tests."""
    scopes: list[str]
    """What the key may do, such as `render:write`. In some areas `write` includes `read`."""
    template_ids: list[str]
    """The only templates that the key may use, `tpl_…`; empty: all."""
    expires_at: dt.datetime | None
    """When the key ends; null: never."""


class Account(Model):
    """A workspace's plan, allowance and limits."""

    workspace: AccountWorkspace
    """The workspace that the key belongs to."""
    plan: AccountPlan
    """The plan of the workspace."""
    cycle: BillingCycle
    """The present billing cycle."""
    renders: AccountRenders
    """The allowance of renders with live keys, and what is left of it."""
    limits: AccountLimits
    """Limits of the plan."""
    in_use: AccountInUse
    """What of the limits is in use."""
    regions: list[str]
    """Regions in which the workspace may render."""
    key: AccountKey
    """The API key of the request."""


class UsageDay(Model):
    """One day in UTC."""

    date: dt.date
    """The day, in UTC."""
    live: int
    """Renders with live keys that succeeded; only these are billed."""
    test: int
    """Renders with test keys that succeeded; never billed."""
    failed: int
    """Renders that failed, with keys of either mode; never billed."""


class UsageByTemplate(Model):
    """Finished renders of one template."""

    template_id: str
    """Id of the template, `tpl_…`."""
    live: int
    """Renders with live keys that succeeded."""
    test: int
    """Renders with test keys that succeeded."""
    failed: int
    """Renders that failed, with keys of either mode."""


class UsageByFormat(Model):
    """Renders that had a file of this format; one with several formats counts for each."""

    format: str
    """Format of the files, such as `pdf`."""
    live: int
    """Renders with live keys that succeeded."""
    test: int
    """Renders with test keys that succeeded."""
    failed: int
    """Renders that failed, with keys of either mode."""


class Usage(Model):
    """Finished renders, by the day on which they were finished."""

    object: Literal["usage"]
    cycle: BillingCycle
    """The present billing cycle."""
    days: list[UsageDay]
    """Every day of the range, also those without a render."""
    by_template: list[UsageByTemplate]
    """Renders by template, the most rendered first, at most 1 000."""
    by_format: list[UsageByFormat]
    """Renders by format, the most rendered first."""


class UsageThreshold(Model):
    """A threshold of the usage in a billing cycle, as it was reached."""

    object: Literal["usage_threshold"]
    kind: Literal["included_renders", "top_ups"]
    """What was reached. `included_renders`: a share of the plan's renders. `top_ups`: the renders
    are used, and `spend_cap_cents` allows no further pack."""
    threshold_percent: int | None
    """50, 80 or 100 % of the included renders; null for `top_ups`."""
    included: int
    """Billed renders that the plan includes in the cycle."""
    used: int
    """Included renders that are used."""
    prepaid_remaining: int
    """Renders left in packs and automatic top-ups."""
    spend_cap_cents: int
    """Monthly limit of the spending in euro cents, without tax; 0: no top-ups."""
    cycle: BillingCycle
    """The billing cycle in which it was reached."""


class UsageQuery(Query):
    """The first and the last day; by default the present cycle up to today."""

    from_: Day | None = Field(default=None, alias="from")
    """First day in UTC, such as `2026-01-31`. Absent: the first day of the present cycle."""
    to: Day | None = None
    """Last day in UTC; at most 366 days in all. Absent: today."""
