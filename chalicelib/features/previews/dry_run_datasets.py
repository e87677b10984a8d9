"""Dry runs of all datasets of a template, in parallel, and its compilation, before publishing.

The default dataset's document also gives the thumbnail of the version.
"""

import logging
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextvars import copy_context
from copy import replace
from dataclasses import dataclass
from typing import Final

import msgspec

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure, no_capacity_error
from chalicelib.core.ids import IdGenerator, WorkspaceId
from chalicelib.core.json import JsonObject, strings_in
from chalicelib.engine.job import PageJob
from chalicelib.engine.remote.calls import LintCall
from chalicelib.engine.remote.first_page import FirstPage
from chalicelib.engine.remote.results import LintResult
from chalicelib.engine.schemas.check_schemas import WorkspaceSchemas
from chalicelib.features.previews.thumbnail import DrawThumbnail
from chalicelib.features.renders.accept.command import check_region, page_limit
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.renders.run.bodies import engine_folder
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.model import Dataset, SourceBundle, Template
from chalicelib.features.templates.options import with_template_fields
from chalicelib.features.templates.publish import NewDataset, default_index
from chalicelib.features.templates.sources import ResolvedSource
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases, HeldLease
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.plans import Plan
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.features.workspaces.service_state.repository import ServiceStates

log = logging.getLogger(__name__)

_MAX_S: Final = 25.0
# Reserved for the work after the answers.
_RESPONSE_MARGIN_S: Final = 0.5
# The plan's concurrency of background renders can lower it.
_MAX_PARALLEL: Final = 10
_MAX_OUTPUT_BYTES: Final = 100_000_000
# After the first failure most other dry runs end within this time; then the lease is released.
_MAX_DRAIN_S: Final = 2.0
# A cold start of the function that draws on a busy machine, and what is worth a try.
_MAX_THUMBNAIL_S: Final = 15.0
_MIN_THUMBNAIL_S: Final = 0.5
_TAG_STARTS: Final = ("{{", "{%", "{#")


@dataclass(frozen=True, slots=True)
class _NamedDataset:
    """Dataset with its name for messages and the JSON Pointer to its data."""

    name: str
    data: Callable[[], JsonObject]
    pointer: str
    is_default: bool


class DryRunDatasets(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Dry runs of datasets and compilation under one concurrency lease (decision 2).

    A template without datasets is only compiled, and one without templates in its texts not at all.
    """

    workspaces: Workspaces
    datasets: ReadDatasets
    templates: ResolveTemplate
    schemas: WorkspaceSchemas
    engine: RemoteEngine
    draw_thumbnail: DrawThumbnail
    state: ServiceStates
    leases: ConcurrencyLeases
    region: str
    clock: Clock
    ids: IdGenerator

    def __call__(
        self,
        template: Template,
        source: SourceBundle,
        *,
        datasets: Sequence[NewDataset] | None,
        deadline: float,
    ) -> bytes | None:
        """Render every dataset, by default the stored ones, then compile the templates.

        Return the thumbnail of the default one, if there is one and it can be drawn. Raises the
        first failure, `render_timeout` after `deadline` (Unix seconds) at the latest, and like any
        render `region_not_enabled`, `region_degraded`, `maintenance` or
        `concurrency_limited`.
        """
        named = self._stored_datasets(template) if datasets is None else _new_datasets(datasets)
        now = self.clock.now().timestamp()
        ends_at = min(deadline - _RESPONSE_MARGIN_S, now + _MAX_S)
        workspace = self.workspaces.get(template.workspace_id)
        assert workspace is not None, template.workspace_id
        if named:
            return self._render_all(workspace, template, source, named, ends_at)
        self._compile_alone(workspace, template, source, ends_at)
        return None

    def _render_all(
        self,
        workspace: Workspace,
        template: Template,
        source: SourceBundle,
        named: Sequence[_NamedDataset],
        ends_at: float,
    ) -> bytes | None:
        check_region(workspace, self.region)
        self.state.require_normal()
        with self.leases(workspace, until=ends_at) as lease:
            for each in named:
                self._check_schema(template.workspace_id, source.schema, each, ends_at)
            page = self._run_in_parallel(workspace.plan, template, source, named, (ends_at, lease))
            job = self._job_to_compile(workspace.plan, template, source)
            if job is not None:
                self._compile(job, template, source, ends_at)
            return None if page is None else self._thumbnail(template, page, ends_at)

    def _compile_alone(
        self, workspace: Workspace, template: Template, source: SourceBundle, ends_at: float
    ) -> None:
        job = self._job_to_compile(workspace.plan, template, source)
        if job is not None:
            with self.leases(workspace, until=ends_at):
                self._compile(job, template, source, ends_at)

    def _check_schema(
        self,
        workspace_id: WorkspaceId,
        schema: JsonObject | None,
        dataset: _NamedDataset,
        ends_at: float,
    ) -> None:
        """Check a dataset against the template's schema.

        Raises `data_schema_mismatch`, `template_fuel_exhausted`, `region_degraded`, or
        `render_timeout` if no time is left for it.
        """
        left_s = self._left_s(ends_at)
        if left_s <= 0:
            raise _timeout_failure(dataset)
        subject = f"The dataset {dataset.name}"
        try:
            self.schemas(workspace_id).check_data(
                schema, dataset.data(), subject=subject, prefix=dataset.pointer, budget_s=left_s
            )
        except RenderFailure as failure:
            if failure.code == "template_fuel_exhausted":
                raise RenderFailure(failure.code, f"{subject}: {failure.detail}") from failure
            raise

    def _stored_datasets(self, template: Template) -> list[_NamedDataset]:
        reader = self.datasets

        def load_data(dataset: Dataset) -> Callable[[], JsonObject]:
            return lambda: reader.data(template, dataset)

        return [
            _NamedDataset(
                f'"{each.name}" ({each.id})',
                load_data(each),
                "/data",
                is_default=each.id == template.default_dataset,
            )
            for each in reader.all(template)
        ]

    def _run_in_parallel(
        self,
        plan: Plan,
        template: Template,
        source: SourceBundle,
        datasets: Sequence[_NamedDataset],
        deadline_and_lease: tuple[float, HeldLease],
    ) -> FirstPage | None:
        """Render the datasets; return the first page of the default one."""
        ends_at, lease = deadline_and_lease
        workers = min(len(datasets), _MAX_PARALLEL, plan.bulk_concurrency)
        pool = ThreadPoolExecutor(workers, thread_name_prefix="dry_run")
        wait_s = self._left_s(ends_at)
        running = {
            pool.submit(
                copy_context().run, self._run_one, plan, template, source, each, ends_at
            ): each
            for each in datasets
        }
        try:
            page: FirstPage | None = None
            for task in as_completed(running, timeout=max(0.0, wait_s)):
                result = task.result()
                if isinstance(result, RenderFailure):
                    raise result
                page = page or result
        except TimeoutError as late:
            slow = next((each for task, each in running.items() if not task.done()), datasets[-1])
            raise _timeout_failure(slow) from late
        finally:
            # A dry run that is still running ends at `ends_at`, as its lease does: releasing the
            # lease earlier would let the workspace use more functions than its plan allows.
            pool.shutdown(wait=False, cancel_futures=True)
            lease.is_left_to_expire = not _have_ended(
                running, min(_MAX_DRAIN_S, self._left_s(ends_at))
            )
        return page

    def _compile(
        self, job: PageJob, template: Template, source: SourceBundle, ends_at: float
    ) -> None:
        """Raise the first failure that the templates of a job have with any data."""
        context = self._call_context(template, ends_at)
        for _ in range(MAX_ATTEMPTS):
            try:
                with self.engine.job_fields(job, context) as fields:
                    call = LintCall(**fields, compile_only=True)
                    result, _contents = self.engine.ask(call, LintResult, context)
            except FunctionBusy:
                break
            except EngineLost:
                log.warning("the engine was lost", exc_info=True)
            else:
                for failure in result.outcome().failures:
                    detail = with_template_fields(failure.detail, source)
                    raise RenderFailure(failure.code, detail, **failure.members)
                return
        raise no_capacity_error("checking the template")

    def _job_to_compile(
        self, plan: Plan, template: Template, source: SourceBundle
    ) -> PageJob | None:
        """Return the job of a template, which names itself as it will be published.

        Texts without templates need none.
        """
        resolved = ResolvedSource(None, template.type, source)
        job = self.templates.page_job(plan, template, resolved, {})
        texts = (*job.source.texts(), *strings_in(job.output.to_json()))
        if not any(start in text for text in texts for start in _TAG_STARTS):
            return None
        own = {str(template.id): str(source.content.get("html") or "")}
        return replace(job, includes=job.includes._replace(sources={**job.includes.sources, **own}))

    def _call_context(self, template: Template, ends_at: float) -> EngineCallContext:
        call_id = self.ids.new("rnd", self.clock.now())
        return EngineCallContext(
            tenant=template.workspace_id,
            folder=engine_folder(template.workspace_id, call_id),
            ends_at=ends_at,
            slot_ends_at=ends_at,
        )

    def _run_one(
        self,
        plan: Plan,
        template: Template,
        source: SourceBundle,
        dataset: _NamedDataset,
        ends_at: float,
    ) -> RenderFailure | FirstPage | None:
        """Render one dataset; return its failure, or the first page of the default one."""
        resolved = ResolvedSource(None, template.type, source)
        job = self.templates.page_job(plan, template, resolved, dataset.data())
        context = self._call_context(template, ends_at)
        limits = {"max_pages": page_limit(job, plan), "max_bytes": _MAX_OUTPUT_BYTES}
        for _ in range(MAX_ATTEMPTS):
            try:
                return self.engine.dry_run(
                    job, context, **limits, keeps_first_page=dataset.is_default
                )
            except RenderFailure as failure:
                return _named_failure(failure, dataset, source)
            except FunctionBusy:
                return _timeout_failure(dataset)
            except EngineLost:
                log.warning("the engine was lost", exc_info=True)
        message = f"The dataset {dataset.name}: its process ended before it was done."
        return RenderFailure("render_failed", message)

    def _thumbnail(self, template: Template, page: FirstPage, ends_at: float) -> bytes | None:
        ends_at = min(ends_at, self.clock.now().timestamp() + _MAX_THUMBNAIL_S)
        if self._left_s(ends_at) < _MIN_THUMBNAIL_S:
            return None
        return self.draw_thumbnail(page, self._call_context(template, ends_at))

    def _left_s(self, ends_at: float) -> float:
        return ends_at - self.clock.now().timestamp()


def _have_ended(tasks: Iterable[Future[RenderFailure | FirstPage | None]], within_s: float) -> bool:
    started = [task for task in tasks if not task.cancelled()]
    return not wait(started, timeout=max(0.0, within_s)).not_done


def _new_datasets(datasets: Sequence[NewDataset]) -> list[_NamedDataset]:
    def load_data(dataset: NewDataset) -> Callable[[], JsonObject]:
        return lambda: dataset.data

    default = default_index(datasets)
    return [
        _NamedDataset(
            f'"{each.name}" (/datasets/{n})',
            load_data(each),
            f"/datasets/{n}/data",
            is_default=n == default,
        )
        for n, each in enumerate(datasets)
    ]


def _named_failure(
    failure: RenderFailure, dataset: _NamedDataset, source: SourceBundle
) -> RenderFailure:
    # A trace is stored in a render's row, and a dry run has no row.
    members = {name: value for name, value in failure.members.items() if name != "trace"}
    detail = f"The dataset {dataset.name}: {with_template_fields(failure.detail, source)}"
    return RenderFailure(failure.code, detail, errors=failure.errors, **members)


def _timeout_failure(dataset: _NamedDataset) -> RenderFailure:
    return RenderFailure(
        "render_timeout",
        f"The dataset {dataset.name} was not rendered in time: all datasets have {_MAX_S:g} s.",
    )
