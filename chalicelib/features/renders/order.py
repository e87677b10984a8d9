"""A render as it is asked for, and what it may be refused for before anything is looked up."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from chalicelib.core.errors import Forbidden, invalid
from chalicelib.engine.versions import ENGINES, NEWEST_ENGINE
from chalicelib.features.renders.bodies import is_large
from chalicelib.features.renders.delivery import Terms
from chalicelib.features.renders.idempotency import IdempotencyKey
from chalicelib.features.renders.model import Body, Priority, RunMode
from chalicelib.features.templates.sources import Choice
from chalicelib.features.workspaces.model import Mode, Workspace

# Rewritten JSON is at most a few times longer: 1e15 becomes 1000000000000000.0.
_SURELY_FITS_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Order:
    """A render as it is asked for; `key_templates` are all that its key may use, if there are.

    `said_output` is what the request says of its output, without the defaults that stand in `body`.
    """

    workspace: Workspace
    key_mode: Mode
    mode: RunMode
    body: Body
    terms: Terms
    request_id: str
    key_templates: tuple[str, ...] = ()
    version: Choice = "live"
    template_version: int | None = None
    engine: str | None = None
    priority: Priority = "normal"
    asks_for_test: bool | None = None
    reference: str | None = None
    metadata: dict[str, Any] | None = None
    idempotency: IdempotencyKey | None = None
    received_bytes: int = 0
    said_output: Mapping[str, Any] = field(default_factory=dict)

    @property
    def template_id(self) -> str | None:
        """Return the template that it is made from, if it is."""
        return self.body.input.get("template_id")

    @property
    def may_use_template(self) -> bool:
        """Tell whether the key may use the template, where one is named; it need not be there."""
        return not self.key_templates or self.template_id in {None, *self.key_templates}

    @property
    def chosen_engine(self) -> str:
        """Return the engine to render with."""
        return self.engine or NEWEST_ENGINE

    @property
    def max_pages(self) -> int:
        """Return how many pages the document may have: the plan's number, or fewer as asked."""
        asked: int | None = self.body.output["pdf"]["max_pages"]
        allowed = self.workspace.plan.max_pages
        return allowed if asked is None else min(asked, allowed)

    @property
    def is_large(self) -> bool:
        """Tell whether the body may not fit into an invocation."""
        stored = self.template_id is not None or self.body.includes.sources
        if self.received_bytes <= _SURELY_FITS_BYTES and not stored:
            return False
        return is_large(self.body)


def check(order: Order, region: str) -> None:
    """Refuse what this key, this workspace or this service does not do.

    Raises `test_key_required`, `template_not_allowed_for_key`, `email_not_verified`,
    `region_not_enabled` or `validation_error`.
    """
    _check_key(order)
    _check_workspace(order, region)
    if order.engine not in {None, *(engine.id for engine in ENGINES)}:
        known = ", ".join(engine.id for engine in ENGINES)
        raise invalid("/engine", f"is none of {known}; GET /v1/engines lists them", "not_allowed")
    if order.template_id is None and order.version != "live":
        raise invalid("/version", "goes with a template only: leave it out here", "not_allowed")


def _check_key(order: Order) -> None:
    if order.asks_for_test is True and order.key_mode == "live":
        raise Forbidden(
            "test_key_required",
            "A live key makes live renders. Send test with a test key.",
        )
    # The id is compared before anybody looks whether there is such a template.
    if order.template_id is not None and not order.may_use_template:
        raise Forbidden(
            "template_not_allowed_for_key",
            "This key may use the templates of its allowlist only, and this is none of them.",
        )
    drafts_allowed = order.key_mode == "test" or order.workspace.allow_draft_rendering
    if order.version == "draft" and not drafts_allowed:
        raise Forbidden(
            "test_key_required",
            "A live key renders published versions. Send version draft with a test key, or have "
            "drafts allowed in the workspace's settings.",
        )


def _check_workspace(order: Order, region: str) -> None:
    if order.key_mode == "live" and not order.workspace.owner_verified:
        raise Forbidden(
            "email_not_verified",
            "Verify the workspace owner's email address; test keys work meanwhile.",
        )
    check_region(order.workspace, region)


def check_region(workspace: Workspace, region: str) -> None:
    """Refuse a workspace that is not enabled for this region; raises `region_not_enabled`."""
    if region not in workspace.regions:
        raise Forbidden(
            "region_not_enabled",
            f"This workspace may not render in {region}; it may in {', '.join(workspace.regions)}.",
        )
