"""Say what a render would be refused or warned for, without making it: a tuple of checks."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Final

from chalicelib.contract.lengths import inches
from chalicelib.core.errors import FieldError, ServiceError
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.output import Output
from chalicelib.engine.unused import unused, unused_data
from chalicelib.features.renders.jobs import job_of
from chalicelib.features.renders.lint import LintTemplates
from chalicelib.features.renders.order import Order, check
from chalicelib.features.renders.plan_features import check_plan
from chalicelib.features.renders.preflight_invoice import check_invoice
from chalicelib.features.renders.templates import PutTemplates, check_data
from chalicelib.features.renders.uploaded import check_uploads
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.workspaces.places import Places

_TOO_MANY: Final = 429
_FAULTS: Final = 500
# Where a request says what these refuse.
_PLACES: Final = {
    "template_not_found": "/input/template_id",
    "template_deleted": "/input/template_id",
    "template_not_allowed_for_key": "/input/template_id",
    "version_not_found": "/version",
}
_BANDS: Final = {
    "header": "top",
    "first_header": "top",
    "footer": "bottom",
    "first_footer": "bottom",
    "last_footer": "bottom",
}


@dataclass(frozen=True, slots=True)
class Report:
    """What was found; a render without errors would be accepted, its page has not been seen."""

    errors: tuple[FieldError, ...]
    warnings: tuple[RenderWarning, ...] = ()


@dataclass(frozen=True, slots=True)
class Sight:
    """What checks look at."""

    order: Order
    region: str
    uploads: ReadUploads
    schemas: CheckSchemas
    lint: LintTemplates
    deadline: float


# Yields warnings; raises a ServiceError for what the render would be refused for.
type Check = Callable[[Sight], Iterable[RenderWarning]]


class PreflightRender:
    """Runs every check, whatever the others find."""

    def __init__(
        self,
        *,
        templates: PutTemplates,
        uploads: ReadUploads,
        schemas: CheckSchemas,
        lint: LintTemplates,
        places: Places,
        region: str,
    ) -> None:
        """Build from what renders are made of."""
        self._places = places
        self._schemas = schemas
        self._lint = lint
        self._templates = templates
        self._uploads = uploads
        self._region = region

    def __call__(self, order: Order, deadline: float) -> Report:
        """Check an order by the deadline (Unix seconds).

        Raises `concurrency_limited` or `region_degraded` where there is something to be tried.
        """
        errors: list[FieldError] = []
        warnings: list[RenderWarning] = []
        # Of a template that its key may not use nothing is told.
        if order.may_use_template:
            try:
                order = self._templates(order, order.version)
            except ServiceError as refusal:
                errors += refused(refusal).errors
        sight = Sight(order, self._region, self._uploads, self._schemas, self._lint, deadline)
        with self._places(order.workspace) if _is_tried(order) else nullcontext():
            for look in CHECKS:
                try:
                    warnings += look(sight)
                except ServiceError as refusal:
                    errors += refused(refusal).errors
        return Report(tuple(errors), tuple(warnings))


def _is_tried(order: Order) -> bool:
    """Tell whether a check takes more than looking."""
    wanted = order.body.input
    return bool(wanted.get("templating")) or bool(wanted.keys() & {"scene", "schema"})


def refused(refusal: ServiceError) -> Report:
    """Return the report of one refusal; what is no fault of the request is raised again."""
    status = refusal.problem.status or 0
    if status == _TOO_MANY or status >= _FAULTS:
        raise refusal
    place = _PLACES.get(refusal.code, "")
    return Report(refusal.errors or (FieldError(place, refusal.code, refusal.detail),))


def _acceptable(sight: Sight) -> Iterable[RenderWarning]:
    check(sight.order, sight.region)
    return ()


def _plan(sight: Sight) -> Iterable[RenderWarning]:
    check_plan(sight.order)
    return ()


def _uploads(sight: Sight) -> Iterable[RenderWarning]:
    check_uploads(sight.order.body, sight.order.workspace.id, sight.uploads)
    return ()


def _schema(sight: Sight) -> Iterable[RenderWarning]:
    check_data(sight.order.body, sight.schemas)
    return ()


def _invoice(sight: Sight) -> Iterable[RenderWarning]:
    return check_invoice(sight.order.body)


def _templates(sight: Sight) -> Iterable[RenderWarning]:
    if sight.order.body.input.get("upload_id") is not None:
        try:
            _uploads(sight)
        except ServiceError:
            return ()  # That check tells of it, and there is nothing to try.
    faults = sight.lint(sight.order, sight.deadline)
    if faults:
        raise ServiceError(faults[0].code, faults[0].message, errors=faults)
    return ()


def _margins(sight: Sight) -> Iterator[RenderWarning]:
    output = Output.from_json(sight.order.body.output)
    bands = sight.order.body.output["pdf"]
    for name, side in _BANDS.items():
        if "pdf" not in output.formats or not (bands[name] or {}).get("enabled"):
            continue
        height, margin = bands[name]["height"], bands["margin"][side]
        if height is not None and inches(height) > inches(margin):
            message = f"{name} is {height} high and pdf.margin.{side} is {margin}"
            yield RenderWarning("header_footer_overlap", message, f"/output/pdf/{name}/height")


def _formats(sight: Sight) -> Iterable[RenderWarning]:
    return unused(Output.from_json(sight.order.body.output))


def _data(sight: Sight) -> Iterable[RenderWarning]:
    body = sight.order.body
    if body.input["type"] == "template":
        return ()
    job = job_of(
        body,
        deadline=sight.deadline,
        # What stands in them changes nothing here.
        uploads=lambda _upload_id: b"",
        schemas=sight.schemas,
        test=False,
    )
    return unused_data(job)


CHECKS: Final[tuple[Check, ...]] = (
    _acceptable,
    _plan,
    _uploads,
    _schema,
    _invoice,
    _templates,
    _margins,
    _formats,
    _data,
)
