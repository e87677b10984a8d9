"""Say what a render would be refused or warned for, without making it: a tuple of checks."""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, Final, cast

from chalicelib.contract.css_values import length_in_inches
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, json_pointer
from chalicelib.engine.einvoice.prepare import EInvoiceInput, invoice_at, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.inputs.ignored_options import ignored_data_warnings, ignored_option_warnings
from chalicelib.engine.job import EInvoiceCommand, RenderWarning
from chalicelib.engine.options.output import OutputOptions
from chalicelib.features.previews.lint import LintTemplates
from chalicelib.features.renders.accept.command import (
    RenderCommand,
    check_command,
    check_plan_features,
)
from chalicelib.features.renders.accept.templates import ResolveTemplate, check_data
from chalicelib.features.renders.accept.uploads import check_uploads
from chalicelib.features.renders.model import RenderBody
from chalicelib.features.renders.run.jobs import engine_job, requested_invoice
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases

_TOO_MANY_REQUESTS: Final = 429
_SERVER_ERROR: Final = 500
# Where a request says what these refuse.
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
    """What was found; a render without errors would be accepted, its page has not been seen."""

    errors: tuple[FieldError, ...]
    warnings: tuple[RenderWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class PreflightContext:
    """What checks look at."""

    command: RenderCommand
    region: str
    uploads: ReadUploads
    schemas: CheckSchemas
    lint: LintTemplates
    deadline: float


# Yields warnings; raises a ServiceError for what the render would be refused for.
type PreflightCheck = Callable[[PreflightContext], Iterable[RenderWarning]]


class PreflightRender:
    """Runs every check, whatever the others find."""

    def __init__(
        self,
        *,
        templates: ResolveTemplate,
        uploads: ReadUploads,
        schemas: CheckSchemas,
        lint: LintTemplates,
        leases: ConcurrencyLeases,
        region: str,
    ) -> None:
        """Build from what renders are made of."""
        self._leases = leases
        self._schemas = schemas
        self._lint = lint
        self._templates = templates
        self._uploads = uploads
        self._region = region

    def __call__(self, command: RenderCommand, deadline: float) -> PreflightReport:
        """Check an order by the deadline (Unix seconds).

        Raises `concurrency_limited` or `region_degraded` where there is something to be tried.
        """
        errors: list[FieldError] = []
        warnings: list[RenderWarning] = []
        # Of a template that its key may not use nothing is told.
        if command.is_template_allowed:
            try:
                command = self._templates(command, command.version)
            except ServiceError as refusal:
                errors += refusal_report(refusal).errors
        sight = PreflightContext(
            command, self._region, self._uploads, self._schemas, self._lint, deadline
        )
        with self._leases(command.workspace) if _runs_template(command) else nullcontext():
            for look in CHECKS:
                try:
                    warnings += look(sight)
                except ServiceError as refusal:
                    errors += refusal_report(refusal).errors
        return PreflightReport(tuple(errors), tuple(warnings))


def _runs_template(command: RenderCommand) -> bool:
    """Tell whether a check takes more than looking."""
    wanted = command.body.input
    return bool(wanted.get("templating")) or bool(wanted.keys() & {"scene", "schema"})


def refusal_report(refusal: ServiceError) -> PreflightReport:
    """Return the report of one refusal; what is no fault of the request is raised again."""
    status = refusal.problem.status or 0
    if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR:
        raise refusal
    place = _FIELD_POINTERS.get(refusal.code, "")
    return PreflightReport(refusal.errors or (FieldError(place, refusal.code, refusal.detail),))


def _check_command(context: PreflightContext) -> Iterable[RenderWarning]:
    check_command(context.command, context.region)
    return ()


def _check_plan(context: PreflightContext) -> Iterable[RenderWarning]:
    check_plan_features(context.command)
    return ()


def _check_uploads(context: PreflightContext) -> Iterable[RenderWarning]:
    check_uploads(context.command.body, context.command.workspace.id, context.uploads)
    return ()


def _check_schema(context: PreflightContext) -> Iterable[RenderWarning]:
    check_data(context.command.body, context.schemas)
    return ()


def _check_invoice(context: PreflightContext) -> Iterable[RenderWarning]:
    return check_invoice(context.command.body)


def _check_templates(context: PreflightContext) -> Iterable[RenderWarning]:
    if context.command.body.input.get("upload_id") is not None:
        try:
            _check_uploads(context)
        except ServiceError:
            return ()  # That check tells of it, and there is nothing to try.
    faults = context.lint(context.command, context.deadline)
    if faults:
        raise ServiceError(faults[0].code, faults[0].message, errors=faults)
    return ()


def _check_margins(context: PreflightContext) -> Iterator[RenderWarning]:
    output = OutputOptions.from_json(context.command.body.output)
    bands = context.command.body.output["pdf"]
    for name, side in _HEADER_FOOTER_SIDES.items():
        if "pdf" not in output.formats or not (bands[name] or {}).get("enabled"):
            continue
        height, margin = bands[name]["height"], bands["margin"][side]
        if height is not None and length_in_inches(height) > length_in_inches(margin):
            message = f"{name} is {height} high and pdf.margin.{side} is {margin}"
            yield RenderWarning("header_footer_overlap", message, f"/output/pdf/{name}/height")


def _check_ignored_options(context: PreflightContext) -> Iterable[RenderWarning]:
    return ignored_option_warnings(OutputOptions.from_json(context.command.body.output))


def _check_unused_data(context: PreflightContext) -> Iterable[RenderWarning]:
    body = context.command.body
    if body.input["type"] == "template":
        return ()
    job = engine_job(
        body,
        deadline=context.deadline,
        # What stands in them changes nothing here.
        uploads=lambda _upload_id: b"",
        schemas=context.schemas,
        test=False,
    )
    return ignored_data_warnings(job)


CHECKS: Final[tuple[PreflightCheck, ...]] = (
    _check_command,
    _check_plan,
    _check_uploads,
    _check_schema,
    _check_invoice,
    _check_templates,
    _check_margins,
    _check_ignored_options,
    _check_unused_data,
)


_INDEX: Final = re.compile(r"\[(\d+)\]")


def check_invoice(body: RenderBody) -> Iterator[RenderWarning]:
    """Yield warnings; raises `einvoice_invalid` with a pointer to each finding.

    An invoice in data that stand at a `data_url` is not looked at.
    """
    order = requested_invoice(body)
    if order is None:
        return
    if order.is_skipped_by_plan:
        message = "The plan has no e-invoices: the PDF will not carry the template's."
        yield RenderWarning("einvoice_skipped_plan", message, "output.einvoice")
    if order.data_path is not None and body.data_url is not None:
        return
    try:
        prepare_invoice(_requested_einvoice(order, body))
    except RenderFailure as failure:
        if order.is_written:
            raise _refusal(failure, order.findings_root) from None
        yield RenderWarning("invoice_totals_unavailable", failure.detail, order.findings_root)


def _requested_einvoice(invoice_order: EInvoiceCommand, body: RenderBody) -> EInvoiceInput:
    source: Any = invoice_order.invoice
    if invoice_order.data_path is not None:
        source = invoice_at(body.data or {}, invoice_order.data_path)
    return EInvoiceInput(
        profile=PROFILES[invoice_order.profile],
        syntax=cast("Syntax", invoice_order.syntax),
        source=source,
        findings_root=invoice_order.findings_root,
    )


def _refusal(failure: RenderFailure, root: str) -> ServiceError:
    found = failure.members["result"]["conformance"]["einvoice"]["errors"]
    errors = [
        FieldError(_pointer(each["path"], root), failure.code, each["message"]) for each in found
    ]
    return ServiceError(failure.code, failure.detail, errors=errors)


def _pointer(path: str, root: str) -> str:
    """Return the pointer to a finding's path; `root`, where it begins, is keys only."""
    within = _INDEX.sub(r".\1", path[len(root) :])
    steps = (root + within).split(".")
    return json_pointer(steps)
