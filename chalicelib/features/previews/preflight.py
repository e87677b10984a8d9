"""Preflight: find the errors and warnings of a render without running it."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.core.check_url import fetch_refusal
from chalicelib.core.egress_policy import EgressPolicy
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.ignored_options import (
    ignored_data_warnings,
    ignored_option_warnings,
    skipped_email_warnings,
    skipped_storage_warnings,
)
from chalicelib.engine.job import InvoiceJob, Job, PageJob
from chalicelib.engine.schemas.check_schemas import WorkspaceSchemas
from chalicelib.features.previews.engine_checks import CheckInEngine, needs_engine
from chalicelib.features.previews.invoice import CheckedInvoice, check_invoice
from chalicelib.features.renders.accept.check_uploads import check_uploads
from chalicelib.features.renders.accept.command import (
    RenderCommand,
    check_command,
    check_plan_features,
)
from chalicelib.features.renders.accept.resolve_source_files import ResolveSourceFiles
from chalicelib.features.renders.accept.resolve_storage import ResolveStorage
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate, check_data
from chalicelib.features.renders.run.check_outcome import failure_of_warning
from chalicelib.features.renders.run.jobs import fetched_urls
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.webhooks.request_webhook import AcceptRequestWebhook
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases

_TOO_MANY_REQUESTS: Final = 429
_SERVER_ERROR: Final = 500
# Fields that cause the refusals without a pointer of their own.
_FIELD_POINTERS: Final = {
    "template_not_found": "/input/template_id",
    "template_deleted": "/input/template_id",
    "template_not_allowed_for_key": "/input/template_id",
    "version_not_found": "/version",
}


@dataclass(frozen=True, slots=True)
class PreflightReport:
    """Findings; a render without errors would be accepted, but its page has not been loaded.

    `invoice` has the totals of its e-invoice, if they are known.
    """

    errors: tuple[FieldError, ...]
    warnings: tuple[RenderWarning, ...] = ()
    invoice: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class PreflightContext:
    """Input of the checks; `deadline` in Unix seconds."""

    command: RenderCommand
    region: str
    uploads: ReadUploads
    schemas: WorkspaceSchemas
    engine: CheckInEngine
    webhooks: AcceptRequestWebhook
    destinations: EgressPolicy
    deadline: float


# Yields warnings; raises the ServiceError that would refuse the render.
type PreflightCheck = Callable[[PreflightContext], Iterable[RenderWarning]]


class PreflightRender(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Run of all checks: a failed check does not stop the others."""

    templates: ResolveTemplate
    storage: ResolveStorage
    source_files: ResolveSourceFiles
    uploads: ReadUploads
    schemas: WorkspaceSchemas
    engine: CheckInEngine
    leases: ConcurrencyLeases
    webhooks: AcceptRequestWebhook
    destinations: EgressPolicy
    region: str

    def __call__(self, command: RenderCommand, deadline: float) -> PreflightReport:
        """Check a command by `deadline` (Unix seconds).

        Raises `concurrency_limited` or `region_degraded` if a template or a schema must run and
        there is no capacity for it.
        """
        errors: list[FieldError] = []
        warnings: list[RenderWarning] = []
        # A key learns nothing about templates outside its allowlist, not even whether they exist.
        if command.is_template_allowed:
            try:
                command = self.storage(self.templates(command, command.version))
            except ServiceError as refusal:
                errors += refusal_report(refusal).errors
        try:
            command = self.source_files(command)
        except ServiceError as refusal:
            errors += refusal_report(refusal).errors
        context = PreflightContext(
            command=command,
            region=self.region,
            uploads=self.uploads,
            schemas=self.schemas,
            engine=self.engine,
            webhooks=self.webhooks,
            destinations=self.destinations,
            deadline=deadline,
        )
        invoice = CheckedInvoice()
        try:
            invoice = check_invoice(command.job, is_test=command.key_mode == "test")
        except ServiceError as refusal:
            errors += refusal_report(refusal).errors
        # Templates and schemas keep a process busy: running them takes a lease (decision 2).
        with self.leases(command.workspace) if _needs_lease(command) else nullcontext():
            for check in CHECKS:
                try:
                    warnings += check(context)
                except ServiceError as refusal:
                    errors += refusal_report(refusal).errors
        found = (*invoice.warnings, *warnings)
        errors += _failures(command.job, found)
        return PreflightReport(tuple(errors), found, invoice=invoice.totals)


def refusal_report(refusal: ServiceError) -> PreflightReport:
    """Return the report of one refusal; raise it again if the request is not at fault."""
    status = refusal.problem.status or 0
    if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR:
        raise refusal
    pointer = _FIELD_POINTERS.get(refusal.code, "")
    return PreflightReport(refusal.errors or (FieldError(pointer, refusal.code, refusal.detail),))


def _failures(job: Job, warnings: Iterable[RenderWarning]) -> Iterator[FieldError]:
    """Yield an error for each warning that fails the job."""
    pointer = "/output/fail_on" if isinstance(job, PageJob) else "/fail_on"
    for warning in warnings:
        message = failure_of_warning(warning, job)
        if message is not None:
            yield FieldError(pointer, "render_failed", message)


def _needs_lease(command: RenderCommand) -> bool:
    """Return True if a check keeps a process busy: that of templates, pages or schemas."""
    job = command.job
    has_schema = isinstance(job, PageJob) and job.schema is not None
    return has_schema or needs_engine(job, fetched_urls(job))


def _check_command(context: PreflightContext) -> Iterable[RenderWarning]:
    check_command(context.command, context.region)
    return ()


def _check_plan(context: PreflightContext) -> Iterable[RenderWarning]:
    check_plan_features(context.command)
    return ()


def _check_uploads(context: PreflightContext) -> Iterable[RenderWarning]:
    check_uploads(context.command.job, context.command.workspace, context.uploads)
    return ()


def _check_webhook(context: PreflightContext) -> Iterable[RenderWarning]:
    command = context.command
    if command.webhook is not None:
        context.webhooks.check(command.webhook, command.key_mode)
    return ()


def _check_addresses(context: PreflightContext) -> Iterable[RenderWarning]:
    urls = fetched_urls(context.command.job)
    refusals = {pointer: fetch_refusal(context.destinations, url) for pointer, url in urls.items()}
    # What is refused in any case needs no lookup.
    others = {pointer: url for pointer, url in urls.items() if refusals[pointer] is None}
    if others:
        refusals |= context.engine.addresses(context.command, others, context.deadline)
    errors = [
        FieldError(pointer, "url_not_allowed", refusal)
        for pointer, refusal in refusals.items()
        if refusal is not None
    ]
    if errors:
        raise ServiceError("url_not_allowed", errors[0].message, errors=errors)
    return ()


def _check_schema(context: PreflightContext) -> Iterable[RenderWarning]:
    check_data(context.command.job, context.command.workspace.id, context.schemas)
    return ()


def _check_page(context: PreflightContext) -> Iterable[RenderWarning]:
    job = context.command.job
    if isinstance(job, PageJob) and (job.source.referenced_uploads() or job.assets):
        try:
            _check_uploads(context)
        except ServiceError:
            return ()  # `_check_uploads` reports it, and there is no page to try.
    return context.engine.page(context.command, context.deadline)


def _check_ignored_options(context: PreflightContext) -> Iterable[RenderWarning]:
    job = context.command.job
    if isinstance(job, InvoiceJob):
        return skipped_storage_warnings(job.storage)
    if not isinstance(job, PageJob):
        return ()
    return (
        *ignored_option_warnings(job.output),
        *skipped_email_warnings(job),
        *skipped_storage_warnings(job.storage),
    )


def _check_unused_data(context: PreflightContext) -> Iterable[RenderWarning]:
    job = context.command.job
    # A template that was not found may use them.
    if not isinstance(job, PageJob) or job.source.template_id is not None:
        return ()
    return ignored_data_warnings(job)


CHECKS: Final[tuple[PreflightCheck, ...]] = (
    _check_command,
    _check_plan,
    _check_uploads,
    _check_webhook,
    _check_addresses,
    _check_schema,
    _check_page,
    _check_ignored_options,
    _check_unused_data,
)
