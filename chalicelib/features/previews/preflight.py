"""Say what a render would be refused or warned for, without making it: a tuple of checks."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

from chalicelib.contract.css_values import length_in_inches
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.engine.inputs.ignored_options import ignored_data_warnings, ignored_option_warnings
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.output import OutputOptions
from chalicelib.features.previews.invoice_check import check_invoice
from chalicelib.features.previews.lint import LintTemplates
from chalicelib.features.renders.accept.command import (
    RenderCommand,
    check_command,
    check_plan_features,
)
from chalicelib.features.renders.accept.templates import ResolveTemplate, check_data
from chalicelib.features.renders.accept.uploads import check_uploads
from chalicelib.features.renders.run.jobs import engine_job
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
