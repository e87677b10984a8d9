"""Comparison of two versions of a template with the same data (decision 88)."""

import logging
from base64 import b64encode
from collections.abc import Sequence
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.contract.options.pdf_tools import CompareOptions, PdfSource
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure, no_capacity_error
from chalicelib.core.ids import IdGenerator, RenderId
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.job import Job, PageJob, PdfToolJob, RenderOutcome
from chalicelib.engine.pdf_tools.comparing.comparison import MAX_PAGES, Comparison
from chalicelib.engine.schemas.check_schemas import WorkspaceSchemas
from chalicelib.features.files.model import StoredFile
from chalicelib.features.previews.comparison_files import ComparisonFiles
from chalicelib.features.renders.accept.command import check_draft, check_workspace, page_limit
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate, TemplateFinder
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.renders.run.bodies import engine_folder
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.model import SourceBundle, Template
from chalicelib.features.templates.options import with_template_fields
from chalicelib.features.templates.sources import VersionChoice
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.model import Mode, Workspace
from chalicelib.features.workspaces.plans import Plan
from chalicelib.features.workspaces.service_state.repository import ServiceStates

log = logging.getLogger(__name__)

# Both documents go to the tool in one call.
MAX_DOCUMENT_BYTES: Final = 20_000_000
# Reserved for storing the pictures and for the response.
_RESPONSE_MARGIN_S: Final = 2.0
_PURPOSE: Final = "comparing the versions"
_LATE: Final = (
    "The pages were not compared in time: send a lower dpi, or compare versions with fewer pages."
)
_ONLY_PDF: Final[JsonObject] = {"formats": ["pdf"]}


class ComparisonRequest(NamedTuple):
    """Versions to compare, with the data of a dataset; None is the default one."""

    template: Template
    from_version: VersionChoice
    to_version: VersionChoice
    dataset_id: str | None
    dpi: int


class ComparedVersions(NamedTuple):
    """Comparison, and the files of its pictures by their numbers."""

    comparison: Comparison
    pictures: tuple[StoredFile, ...]


class _Data(NamedTuple):
    """Data of both sides, and their name in messages."""

    subject: str
    values: JsonObject


class _Side(NamedTuple):
    """One of both versions: its name in messages, its source, and the job of its PDF."""

    name: str
    source: SourceBundle
    job: PageJob


class CompareVersions(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Comparison by the engine and the PDF tools, under one concurrency lease (decision 2).

    Nothing is billed. `files` keep the pictures for an hour.
    """

    templates: ResolveTemplate
    sources: TemplateFinder
    datasets: ReadDatasets
    schemas: WorkspaceSchemas
    engine: RemoteEngine
    pdf_tools: RemoteEngine
    files: ComparisonFiles
    state: ServiceStates
    leases: ConcurrencyLeases
    region: str
    clock: Clock
    ids: IdGenerator

    def __call__(
        self, workspace: Workspace, mode: Mode, request: ComparisonRequest, *, deadline: float
    ) -> ComparedVersions:
        """Compare two versions until `deadline` (Unix seconds).

        Raises what a render of each version would raise, `not_found` for a dataset, and
        `page_limit_exceeded`, `output_too_large` or `validation_error` for documents that are too
        large to be compared.
        """
        for version in (request.from_version, request.to_version):
            check_draft(version, mode, workspace)
        check_workspace(workspace, mode, self.region)
        self.state.require_normal()
        data = self._data(request)
        before, after = (
            self._side(workspace.plan, request, field, version, data.values)
            for field, version in (("from", request.from_version), ("to", request.to_version))
        )
        comparison_id = RenderId(self.ids.new("rnd", self.clock.now()))
        context = EngineCallContext(
            tenant=workspace.id,
            folder=engine_folder(workspace.id, comparison_id),
            ends_at=deadline - _RESPONSE_MARGIN_S,
            slot_ends_at=deadline - _RESPONSE_MARGIN_S,
            # Pages that nobody pays for have the mark of test renders, with live keys too.
            test=True,
        )
        with self.leases(workspace, until=deadline):
            old = self._document(workspace, before, data, context)
            # Two names of one version, or a draft as it was published.
            is_same = before.job == after.job
            new = old if is_same else self._document(workspace, after, data, context)
            comparison, pictures = self._compare(old, new, request.dpi, context)
        return ComparedVersions(comparison, self.files.store(workspace.id, comparison_id, pictures))

    def _data(self, request: ComparisonRequest) -> _Data:
        template = request.template
        dataset_id = request.dataset_id or template.default_dataset
        if dataset_id is None:
            return _Data("Empty data (the template has no dataset)", {})
        dataset = self.datasets.one(template, dataset_id)
        subject = f'The dataset "{dataset.name}" ({dataset.id})'
        return _Data(subject, self.datasets.data(template, dataset))

    def _side(
        self,
        plan: Plan,
        request: ComparisonRequest,
        field: str,
        version: VersionChoice,
        values: JsonObject,
    ) -> _Side:
        template = request.template
        found = self.sources.find(template.workspace_id, template.id, version)
        job = self.templates.page_job(plan, template, found, values, explicit=_ONLY_PDF)
        # The tool could not draw the pages of a protected PDF.
        pdf = replace(job.output.pdf, protection=None)
        number = "the draft" if found.version is None else f"version {found.version}"
        job = replace(job, output=replace(job.output, pdf=pdf, fail_on=()))
        return _Side(f"{field} ({number})", found.source, job)

    def _document(
        self, workspace: Workspace, side: _Side, data: _Data, context: EngineCallContext
    ) -> RenderedFile:
        """Return the PDF of a side; raises its failure, with the name of the side."""
        try:
            self.schemas(workspace.id).check_data(
                side.job.schema,
                data.values,
                subject=data.subject,
                budget_s=max(context.ends_at - self.clock.now().timestamp(), 0.1),
            )
            outcome = self._ask(self.engine, side.job, context)
        except RenderFailure as failure:
            detail = f"{side.name}: {with_template_fields(failure.detail, side.source)}"
            raise _failure(failure, detail) from None
        (document,) = outcome.files
        most = min(page_limit(side.job, workspace.plan), MAX_PAGES)
        if document.pages is not None and document.pages > most:
            message = f"{side.name}: the document has {document.pages} pages; a comparison has "
            raise RenderFailure("page_limit_exceeded", f"{message}at most {most}.")
        if len(document.content) > MAX_DOCUMENT_BYTES:
            message = f"{side.name}: the PDF has {len(document.content)} bytes; a comparison takes "
            raise RenderFailure("output_too_large", f"{message}at most {MAX_DOCUMENT_BYTES}.")
        return document

    def _compare(
        self, old: RenderedFile, new: RenderedFile, dpi: int, context: EngineCallContext
    ) -> tuple[Comparison, Sequence[RenderedFile]]:
        sources = (_source(old), _source(new))
        job = PdfToolJob(CompareOptions(dpi), sources, max_pages=MAX_PAGES)
        try:
            # The documents have the test mark already.
            outcome = self._ask(self.pdf_tools, job, replace(context, test=False))
        except RenderFailure as failure:
            is_late = failure.code == "render_timeout"
            raise _failure(failure, _LATE if is_late else failure.detail) from None
        try:
            return msgspec.convert(outcome.result, Comparison), outcome.files
        except msgspec.ValidationError as strange:
            # What the function answers is checked like any foreign input (decision 34).
            log.warning("a comparison cannot be read", extra={"reason": str(strange)})
            raise no_capacity_error(_PURPOSE) from None

    def _ask(self, engine: RemoteEngine, job: Job, context: EngineCallContext) -> RenderOutcome:
        """Return the outcome of a job; raises RenderFailure, or `region_degraded`."""
        for _ in range(MAX_ATTEMPTS):
            try:
                return engine.run(job, context)
            except FunctionBusy:
                break
            except EngineLost:
                log.warning("the engine was lost", exc_info=True)
        raise no_capacity_error(_PURPOSE)


def _failure(failure: RenderFailure, detail: str) -> RenderFailure:
    """Return a failure with another detail."""
    # A trace is stored in a render's row, and this has none.
    members = {name: each for name, each in failure.members.items() if name != "trace"}
    return RenderFailure(failure.code, detail, errors=failure.errors, **members)


def _source(document: RenderedFile) -> PdfSource:
    return PdfSource(content=b64encode(document.content).decode())
