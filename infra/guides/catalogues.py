"""Tables of plans, scopes, problems, warnings and events."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES
from chalicelib.core.problems import GROUPS, Problem
from chalicelib.features.workspaces.keys.model import LIVE_SCOPES, SCOPES
from chalicelib.features.workspaces.plans import PLANS, Feature, Plan
from infra.guides.markdown import code, table
from infra.guides.warning_texts import WARNING_TEXTS

_FEATURES: Final[Mapping[Feature, str]] = {
    "storage": "Storage destinations",
    "pdfa": "PDF/A",
    "pdfua": "PDF/UA",
    "einvoices": "E-invoices",
    "email": "Emails",
}
_PLAN_ROWS: Final[Mapping[str, Callable[[Plan], str]]] = {
    "Billed renders in a cycle": lambda plan: _allowance(plan.included_renders),
    "Price of a month": lambda plan: _price(plan.price_cents),
    "Pack of more renders": lambda plan: _pack(plan.pack_renders, plan.pack_cents),
    "Requests in a second": lambda plan: _number(plan.rate_limit_rps),
    "Test renders in a minute": lambda plan: _number(plan.test_renders_per_minute),
    "Sync renders at a time": lambda plan: _number(plan.sync_concurrency),
    "Items of batches at a time": lambda plan: _number(plan.bulk_concurrency),
    "Time of a sync render": lambda plan: f"{plan.sync_timeout_s} s",
    "Pages of a document": lambda plan: _number(plan.max_pages),
    "Body of a request": lambda plan: f"{plan.max_payload_mb} MB",
    "All uploads together": lambda plan: f"{plan.upload_gb} GB",
    "Recipients of emails in a day": lambda plan: _number(plan.email_recipients_per_day),
    "Time for which a render can be read": lambda plan: f"{plan.history_days} days",
}

_SCOPES: Final[Mapping[str, str]] = {
    "render:write": "Make and cancel renders, batches, e-invoices and PDF tools; preflights, "
    "uploads, repeats of emails",
    "renders:read": "Read renders, batches and sent emails, with files and logs; `GET /v1/engines`",
    "renders:delete": "Delete the files of a render",
    "templates:read": "Read templates, drafts, versions, schemas and datasets. Comparisons also "
    "need `renders:read`",
    "templates:write": "Create, change, publish, roll back, lock and delete templates and datasets",
    "webhooks:read": "Read webhook endpoints and the log of deliveries",
    "webhooks:write": "Manage webhook endpoints and their secrets; replay deliveries",
    "storage:read": "Read storage destinations",
    "storage:write": "Manage and test storage destinations",
    "signed_links:read": "Read signed links",
    "signed_links:write": "Manage signed links, and sign URLs",
    "email:read": "Read email connections and rules; previews and statistics",
    "email:write": "Manage and test email connections and rules",
    "account:read": "`GET /v1/account` and `GET /v1/usage`",
}

# An allowance that nobody uses up.
_NO_LIMIT: Final = PLANS["self_hosted"].included_renders


def plans_table(_argument: str) -> str:
    """Return the plans: a column for each, a row for each limit and feature."""
    plans = PLANS.values()
    rows = [(name, *map(show, plans)) for name, show in _PLAN_ROWS.items()]
    rows += [
        (name, *("yes" if feature in plan.features else "no" for plan in plans))
        for feature, name in _FEATURES.items()
    ]
    return table(("", *(code(plan.code) for plan in plans)), rows)


def scopes_table(_argument: str) -> str:
    """Return the scopes of keys; a scope without a text stops the program."""
    rows = (
        (code(scope), _SCOPES[scope], "no" if scope in LIVE_SCOPES else "yes") for scope in SCOPES
    )
    return table(("Scope", "Allows", "In a test key by default"), rows)


def problems_table(argument: str) -> str:
    """Return the error codes, or those of one group: Requests, Access, Documents, Delivery."""
    if argument and argument not in GROUPS:
        message = f"{argument} is no group of problems: {', '.join(GROUPS)}"
        raise ValueError(message)
    rows = [row for group, rows in GROUPS.items() if argument in {"", group} for row in rows]
    head = ("Code", "Status", "Repeat it", "What it means", "What to do")
    return table(head, map(_problem_row, rows))


def warnings_table(_argument: str) -> str:
    """Return the codes of all warnings."""
    rows = ((code(each), *texts) for each, texts in sorted(WARNING_TEXTS.items()))
    return table(("Code", "What it means", "What to do"), rows)


def events_table(_argument: str) -> str:
    """Return the types of events that webhooks send."""
    return table(("Event", "When it is sent", "`data.object`"), _event_rows())


def _event_rows() -> Iterator[tuple[str, str, str]]:
    for row in CONTRACT_EVENT_TYPES:
        yield code(row.name), f"{row.summary}.", code(str(row.example["object"]))


def _problem_row(row: Problem) -> tuple[str, str, str, str, str]:
    status = str(row.status) if row.status else "inside an object"
    return code(row.code), status, "yes" if row.retryable else "no", row.meaning, row.fix


def _pack(renders: int, cents: int) -> str:
    return f"{_number(renders)} for {_price(cents)}" if renders else "no"


def _price(cents: int) -> str:
    amount = str(cents // 100) if cents % 100 == 0 else f"{cents / 100:.2f}"
    return f"{amount}\N{NO-BREAK SPACE}€"


def _allowance(renders: int) -> str:
    return "no limit" if renders >= _NO_LIMIT else _number(renders)


def _number(count: int) -> str:
    return f"{count:,}".replace(",", "\N{NO-BREAK SPACE}")
