"""Render command, and the checks of it that need no lookup."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf_tools import PdfaOptions
from chalicelib.core.errors import Forbidden, ServiceError, raise_all, validation_error
from chalicelib.core.ids import LinkId
from chalicelib.core.json import JsonObject
from chalicelib.engine.delivery.emails import EmailRules
from chalicelib.engine.job import InvoiceJob, Job, PageJob, PdfToolJob
from chalicelib.engine.versions import ENGINE_VERSIONS, NEWEST_ENGINE
from chalicelib.features.renders.accept.delivery import DeliveryPolicy
from chalicelib.features.renders.idempotency.model import IdempotencyKey
from chalicelib.features.renders.model import Priority, RenderSource, RunMode
from chalicelib.features.renders.run.bodies import is_large
from chalicelib.features.templates.sources import VersionChoice
from chalicelib.features.webhooks.request_webhook import RequestWebhook
from chalicelib.features.workspaces.entitlements import require_feature
from chalicelib.features.workspaces.model import Mode, Workspace
from chalicelib.features.workspaces.plans import Feature, Plan

# Rewritten JSON is a few times longer at most (1e15 becomes 1000000000000000.0), so a request of
# this size fits into the invocation's 6 MB.
_SURELY_FITS_BYTES: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class RenderCommand:
    """Requested render of a workspace.

    `key_allowlist` has the templates that the key may use; empty: all of them.
    `explicit_output` has the request's own output options, `job` also the defaults. `emails` are
    those of a test, in place of the template's. `link_id` is the signed link that makes it, if any.
    """

    workspace: Workspace
    key_mode: Mode
    mode: RunMode
    job: Job
    delivery_policy: DeliveryPolicy
    request_id: str
    key_allowlist: tuple[str, ...] = ()
    version: VersionChoice = "live"
    template_version: int | None = None
    engine: str | None = None
    priority: Priority = "normal"
    requested_test: bool | None = None
    reference: str | None = None
    metadata: JsonObject | None = None
    webhook: RequestWebhook | None = None
    idempotency: IdempotencyKey | None = None
    received_bytes: int = 0
    explicit_output: JsonObject = field(default_factory=dict)
    source: RenderSource = "api"
    link_id: LinkId | None = None
    emails: EmailRules | None = None

    @property
    def template_id(self) -> str | None:
        """Return the id of the requested template, or None."""
        return self.job.source.template_id if isinstance(self.job, PageJob) else None

    @property
    def is_template_allowed(self) -> bool:
        """Return True if the key may use the named template, or none is named.

        The template need not exist.
        """
        return not self.key_allowlist or self.template_id in {None, *self.key_allowlist}

    @property
    def chosen_engine(self) -> str:
        """Return the requested engine, by default the newest."""
        return self.engine or NEWEST_ENGINE

    @property
    def max_pages(self) -> int:
        """Return the page limit: the plan's, or a lower one of the request."""
        return page_limit(self.job, self.workspace.plan)

    @property
    def is_large(self) -> bool:
        """Return True if the body may not fit into an invocation."""
        has_stored_sources = isinstance(self.job, PageJob) and (
            self.template_id is not None or self.job.includes.sources
        )
        if self.received_bytes <= _SURELY_FITS_BYTES and not has_stored_sources:
            return False
        return is_large(self.job)


def check_command(command: RenderCommand, region: str) -> None:
    """Refuse a command that the key, the workspace or the region does not allow.

    Raises `test_key_required`, `template_not_allowed_for_key`, `email_not_verified`,
    `region_not_enabled` or `validation_error`.
    """
    _check_key(command)
    check_workspace(command.workspace, command.key_mode, region)
    raise_all(_option_errors(command))


def _option_errors(command: RenderCommand) -> Iterator[ServiceError]:
    if command.engine not in {None, *(engine.id for engine in ENGINE_VERSIONS)}:
        known = ", ".join(engine.id for engine in ENGINE_VERSIONS)
        message = f"is none of {known}; GET /v1/engines lists them"
        yield validation_error("/engine", message, "not_allowed")
    if command.template_id is None and command.version != "live":
        message = "goes with a template only: leave it out here"
        yield validation_error("/version", message, "not_allowed")


def _check_key(command: RenderCommand) -> None:
    if command.requested_test is True and command.key_mode == "live":
        raise Forbidden(
            "test_key_required",
            "A live key makes live renders. Send test with a test key.",
        )
    # Checked before any lookup: the answer does not reveal which templates exist.
    if command.template_id is not None and not command.is_template_allowed:
        raise Forbidden(
            "template_not_allowed_for_key",
            "This key may use the templates of its allowlist only, and this is none of them.",
        )
    check_draft(command.version, command.key_mode, command.workspace)


def check_draft(version: VersionChoice, mode: Mode, workspace: Workspace) -> None:
    """Refuse a draft to live keys that may not render one; raises `test_key_required`."""
    if version == "draft" and mode == "live" and not workspace.allow_draft_rendering:
        raise Forbidden(
            "test_key_required",
            "A live key renders published versions. Send version draft with a test key, or have "
            "drafts allowed in the workspace's settings.",
        )


def check_workspace(workspace: Workspace, mode: Mode, region: str) -> None:
    """Raise `email_not_verified` or `region_not_enabled`."""
    if mode == "live" and not workspace.owner_verified:
        raise Forbidden(
            "email_not_verified",
            "Verify the workspace owner's email address; test keys work meanwhile.",
        )
    check_region(workspace, region)


def check_region(workspace: Workspace, region: str) -> None:
    """Refuse a workspace that is not enabled for this region; raises `region_not_enabled`."""
    if region not in workspace.regions:
        raise Forbidden(
            "region_not_enabled",
            f"This workspace may not render in {region}; it may in {', '.join(workspace.regions)}.",
        )


def check_plan_features(command: RenderCommand) -> None:
    """Raise `plan_feature_unavailable` for the first requested feature that the plan lacks.

    Raises `validation_error` for `xml` without an e-invoice.
    """
    for feature, pointer in _requested_features(command.job):
        require_feature(command.workspace, feature, pointer)
    if command.delivery_policy.emails:
        require_feature(command.workspace, "email", "/delivery/email")
    if command.delivery_policy.request.storage:
        require_feature(command.workspace, "storage", "/delivery/storage")
    if isinstance(command.job, PageJob):
        output = command.job.output
        if "xml" in output.formats and output.einvoice is None:
            message = "xml is that of an e-invoice: send output.einvoice, or leave it out"
            raise validation_error(_xml_pointer(output), message, "not_allowed")


def page_limit(job: Job, plan: Plan) -> int:
    """Return the page limit of a job: the plan's, or a lower one of the request."""
    requested = job.output.pdf.max_pages if isinstance(job, PageJob) else None
    return plan.max_pages if requested is None else min(requested, plan.max_pages)


def _requested_features(job: Job) -> Iterator[tuple[Feature, str]]:
    if isinstance(job, InvoiceJob):
        yield "einvoices", "/profile"
        return
    if isinstance(job, PdfToolJob):
        if isinstance(job.options, PdfaOptions):
            yield "pdfa", "/level"
        return
    if job.output.einvoice is not None:
        yield "einvoices", "/output/einvoice"
    elif "xml" in job.output.formats:
        yield "einvoices", _xml_pointer(job.output)
    if job.output.pdf.pdfa is not None:
        yield "pdfa", "/output/pdf/pdfa"
    if job.output.pdf.pdfua:
        yield "pdfua", "/output/pdf/pdfua"


def _xml_pointer(output: OutputOptions) -> str:
    return "/output/format" if output.format == "xml" else "/output/formats"
