"""Preflight: find the errors and warnings of a render without running it."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.contract.css_values import length_in_inches
from chalicelib.core.check_url import fetch_refusal
from chalicelib.core.egress_policy import EgressPolicy
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, json_pointer
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.ignored_options import (
    ignored_data_warnings,
    ignored_option_warnings,
    skipped_email_warnings,
)
from chalicelib.engine.job import Job, PageJob
from chalicelib.engine.schemas.check_schemas import WorkspaceSchemas
from chalicelib.features.previews.lint import LintTemplates
from chalicelib.features.renders.accept.check_uploads import check_uploads
from chalicelib.features.renders.accept.command import (
    RenderCommand,
    check_command,
    check_plan_features,
)
from chalicelib.features.renders.accept.resolve_source_files import ResolveSourceFiles
from chalicelib.features.renders.accept.resolve_storage import ResolveStorage
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate, check_data
from chalicelib.features.renders.run.jobs import fetched_urls
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.webhooks.request_webhook import AcceptRequestWebhook
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases

_INDEX: Final = re.compile(r"\[(\d+)\]")
_TOO_MANY_REQUESTS: Final = 429
_SERVER_ERROR: Final = 500
# Fields that cause the refusals without a pointer of their own.
_FIELD_POINTERS: Final = {
    "template_not_found": "/input/template_id",
    "template_deleted": "/input/template_id",
    "template_not_allowed_for_key": "/input/template_id",
    "version_not_found": "/version",
}
_HEADER_FOOTER_SIDES: Final = {
    "header": "top",
    "first_header": "top",
    "footer": "bottom",
    "first_footer": "bottom",
    "last_footer": "bottom",
}


@dataclass(frozen=True, slots=True)
class PreflightReport:
    """Findings; a render without errors would be accepted, but its page has not been loaded."""

    errors: tuple[FieldError, ...]
    warnings: tuple[RenderWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class PreflightContext:
    """Input of the checks; `deadline` in Unix seconds."""

    command: RenderCommand
    region: str
    uploads: ReadUploads
    schemas: WorkspaceSchemas
    lint: LintTemplates
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
    lint: LintTemplates
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
            lint=self.lint,
            webhooks=self.webhooks,
            destinations=self.destinations,
            deadline=deadline,
        )
        # Templates and schemas keep a process busy: running them takes a lease (decision 2).
        with self.leases(command.workspace) if _needs_lease(command) else nullcontext():
            for check in CHECKS:
                try:
                    warnings += check(context)
                except ServiceError as refusal:
                    errors += refusal_report(refusal).errors
        return PreflightReport(tuple(errors), tuple(warnings))


def refusal_report(refusal: ServiceError) -> PreflightReport:
    """Return the report of one refusal; raise it again if the request is not at fault."""
    status = refusal.problem.status or 0
    if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR:
        raise refusal
    pointer = _FIELD_POINTERS.get(refusal.code, "")
    return PreflightReport(refusal.errors or (FieldError(pointer, refusal.code, refusal.detail),))


def check_invoice(job: Job) -> Iterator[RenderWarning]:
    """Yield warnings; raises `einvoice_invalid` with a pointer to each finding.

    Skips an invoice whose data are at a `data_url`: they are not loaded yet.
    """
    invoice, data_url = job.einvoice, job.data_url if isinstance(job, PageJob) else None
    if invoice is None:
        return
    if invoice.is_skipped_by_plan:
        message = "The plan has no e-invoices: the PDF will not carry the template's."
        yield RenderWarning("einvoice_skipped_plan", message, "output.einvoice")
    if invoice.data_path is not None and data_url is not None:
        return
    # Imported late: no start of the API waits for it (decision 7).
    from chalicelib.engine.inputs.invoice import prepare_command  # noqa: PLC0415

    try:
        prepare_command(invoice, _data(job))
    except RenderFailure as failure:
        if invoice.is_written:
            raise _refusal(failure, invoice.findings_root) from None
        yield RenderWarning("invoice_totals_unavailable", failure.detail, invoice.findings_root)


def _needs_lease(command: RenderCommand) -> bool:
    """Return True if a check runs a template or a schema."""
    job = command.job
    return isinstance(job, PageJob) and (job.source.has_templates or job.schema is not None)


def _check_command(context: PreflightContext) -> Iterable[RenderWarning]:
    check_command(context.command, context.region)
    return ()


def _check_plan(context: PreflightContext) -> Iterable[RenderWarning]:
    check_plan_features(context.command)
    return ()


def _check_uploads(context: PreflightContext) -> Iterable[RenderWarning]:
    check_uploads(context.command.job, context.command.workspace.id, context.uploads)
    return ()


def _check_webhook(context: PreflightContext) -> Iterable[RenderWarning]:
    command = context.command
    if command.webhook is not None:
        context.webhooks.check(command.webhook, command.key_mode)
    return ()


def _check_addresses(context: PreflightContext) -> Iterable[RenderWarning]:
    errors = [
        FieldError(pointer, "not_allowed", refusal)
        for pointer, url in fetched_urls(context.command.job).items()
        if (refusal := fetch_refusal(context.destinations, url)) is not None
    ]
    if errors:
        raise ServiceError("url_not_allowed", errors[0].message, errors=errors)
    return ()


def _check_schema(context: PreflightContext) -> Iterable[RenderWarning]:
    check_data(context.command.job, context.command.workspace.id, context.schemas)
    return ()


def _check_invoice(context: PreflightContext) -> Iterable[RenderWarning]:
    return check_invoice(context.command.job)


def _check_templates(context: PreflightContext) -> Iterable[RenderWarning]:
    job = context.command.job
    if isinstance(job, PageJob) and job.source.referenced_uploads():
        try:
            _check_uploads(context)
        except ServiceError:
            return ()  # `_check_uploads` reports it, and there is no text to lint.
    return context.lint(context.command, context.deadline)


def _check_margins(context: PreflightContext) -> Iterator[RenderWarning]:
    job = context.command.job
    if not isinstance(job, PageJob) or "pdf" not in job.output.formats:
        return
    pdf = job.output.pdf
    for name, side in _HEADER_FOOTER_SIDES.items():
        part, margin = getattr(pdf, name), getattr(pdf.margin, side)
        if part is None or not part.enabled or part.height is None:
            continue
        if length_in_inches(part.height) > length_in_inches(margin):
            message = f"{name} is {part.height} high and pdf.margin.{side} is {margin}"
            yield RenderWarning("header_footer_overlap", message, f"/output/pdf/{name}/height")


def _check_ignored_options(context: PreflightContext) -> Iterable[RenderWarning]:
    job = context.command.job
    if not isinstance(job, PageJob):
        return ()
    return (*ignored_option_warnings(job.output), *skipped_email_warnings(job))


def _check_unused_data(context: PreflightContext) -> Iterable[RenderWarning]:
    job = context.command.job
    # A template that was not found may use them.
    if not isinstance(job, PageJob) or job.source.template_id is not None:
        return ()
    return ignored_data_warnings(job)


def _data(job: Job) -> JsonObject:
    return (job.data if isinstance(job, PageJob) else None) or {}


def _refusal(failure: RenderFailure, root: str) -> ServiceError:
    findings = failure.members["result"]["conformance"]["einvoice"]["errors"]
    errors = [
        FieldError(_pointer(each["path"], root), failure.code, each["message"]) for each in findings
    ]
    return ServiceError(failure.code, failure.detail, errors=errors)


def _pointer(path: str, root: str) -> str:
    """Return the JSON Pointer to a finding's path, which begins with `root`.

    Only the rest has indexes: a `[0]` in `root` would be part of a key.
    """
    within = _INDEX.sub(r".\1", path[len(root) :])
    steps = (root + within).split(".")
    return json_pointer(steps)


CHECKS: Final[tuple[PreflightCheck, ...]] = (
    _check_command,
    _check_plan,
    _check_uploads,
    _check_webhook,
    _check_addresses,
    _check_schema,
    _check_invoice,
    _check_templates,
    _check_margins,
    _check_ignored_options,
    _check_unused_data,
)
