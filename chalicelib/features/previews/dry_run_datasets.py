"""Dry runs of all datasets of a template, in parallel, before it is published."""

import logging
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextvars import copy_context
from copy import replace
from dataclasses import dataclass
from typing import Final

from chalicelib.adapters.aws.functions import (
    FunctionBusy,
    FunctionDied,
    FunctionLate,
    LambdaFunction,
)
from chalicelib.adapters.json_logs import current_ids
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import IdGenerator, RenderId
from chalicelib.core.json import JsonObject
from chalicelib.engine.schemas.check_schemas import CheckSchemas
from chalicelib.features.previews.dry_run import DryRunCall, failure_from_answer
from chalicelib.features.renders.accept.command import check_region, page_limit
from chalicelib.features.renders.accept.templates import ResolveTemplate
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.renders.run.bodies import RenderBodies, is_large
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.model import Dataset, SourceBundle, Template
from chalicelib.features.templates.publish import NewDataset
from chalicelib.features.templates.sources import ResolvedSource
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases, HeldLease
from chalicelib.features.workspaces.plans import Plan
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.features.workspaces.service_state import ServiceStates

log = logging.getLogger(__name__)

_MAX_S: Final = 25.0
# Reserved for the work after the answers.
_RESPONSE_MARGIN_S: Final = 0.5
# The plan's concurrency of background renders can lower it.
_MAX_PARALLEL: Final = 10
_RETRY_PAUSE_S: Final = 0.15
# After the first failure most other dry runs end within this time; then the lease is released.
_MAX_DRAIN_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class _NamedDataset:
    """Dataset with its name for messages and the JSON Pointer to its data."""

    name: str
    data: Callable[[], JsonObject]
    pointer: str


class DryRunDatasets:
    """Dry runs of datasets under one concurrency lease (decision 2)."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        workspaces: Workspaces,
        datasets: ReadDatasets,
        templates: ResolveTemplate,
        schemas: CheckSchemas,
        bodies: RenderBodies,
        function: LambdaFunction,
        state: ServiceStates,
        leases: ConcurrencyLeases,
        region: str,
        clock: Clock,
        ids: IdGenerator,
    ) -> None:
        """Build from the stores and the render function."""
        self._state = state
        self._leases = leases
        self._region = region
        self._workspaces = workspaces
        self._datasets = datasets
        self._templates = templates
        self._schemas = schemas
        self._bodies = bodies
        self._function = function
        self._clock = clock
        self._ids = ids

    def __call__(
        self,
        template: Template,
        source: SourceBundle,
        *,
        datasets: Sequence[NewDataset] | None,
        deadline: float,
    ) -> None:
        """Render every dataset; `datasets` None: the stored ones.

        Raises the first failure, `render_timeout` after `deadline` (Unix seconds) at the latest,
        and like any render `region_not_enabled`, `region_degraded`, `maintenance` or
        `concurrency_limited`.
        """
        named = self._stored_datasets(template) if datasets is None else _new_datasets(datasets)
        if not named:
            return
        now = self._clock.now().timestamp()
        ends_at = min(deadline - _RESPONSE_MARGIN_S, now + _MAX_S)
        workspace = self._workspaces.get(template.workspace_id)
        assert workspace is not None, template.workspace_id
        check_region(workspace, self._region)
        self._state.require_normal()
        with self._leases(workspace, until=ends_at) as lease:
            for each in named:
                self._check_schema(source.schema, each, ends_at)
            self._run_in_parallel(workspace.plan, template, source, named, (ends_at, lease))

    def _check_schema(
        self, schema: JsonObject | None, dataset: _NamedDataset, ends_at: float
    ) -> None:
        """Check a dataset against the template's schema.

        Raises `data_schema_mismatch`, `template_fuel_exhausted` or `render_timeout`.
        """
        left_s = self._left_s(ends_at)
        if left_s <= 0:
            raise _timeout_failure(dataset)
        subject = f"The dataset {dataset.name}"
        try:
            self._schemas.check_data(
                schema, dataset.data(), subject=subject, prefix=dataset.pointer, budget_s=left_s
            )
        except RenderFailure as failure:
            if failure.code == "render_timeout":
                raise _timeout_failure(dataset) from failure
            if failure.code == "template_fuel_exhausted":
                raise RenderFailure(failure.code, f"{subject}: {failure.detail}") from failure
            raise

    def _stored_datasets(self, template: Template) -> list[_NamedDataset]:
        reader = self._datasets

        def load_data(dataset: Dataset) -> Callable[[], JsonObject]:
            return lambda: reader.data(template, dataset)

        return [
            _NamedDataset(f'"{each.name}" ({each.id})', load_data(each), "/data")
            for each in reader.all(template)
        ]

    def _run_in_parallel(
        self,
        plan: Plan,
        template: Template,
        source: SourceBundle,
        datasets: Sequence[_NamedDataset],
        deadline_and_lease: tuple[float, HeldLease],
    ) -> None:
        ends_at, lease = deadline_and_lease
        workers = min(len(datasets), _MAX_PARALLEL, plan.bulk_concurrency)
        pool = ThreadPoolExecutor(workers, thread_name_prefix="dry_run")
        wait_s = self._left_s(ends_at)
        self._function.prepare_client(wait_s)
        running = {
            pool.submit(
                copy_context().run, self._run_one, plan, template, source, each, (ends_at, wait_s)
            ): each
            for each in datasets
        }
        try:
            for task in as_completed(running, timeout=max(0.0, wait_s)):
                failure = task.result()
                if failure is not None:
                    raise failure
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

    def _run_one(
        self,
        plan: Plan,
        template: Template,
        source: SourceBundle,
        dataset: _NamedDataset,
        deadline_and_wait: tuple[float, float],
    ) -> RenderFailure | None:
        """Render one dataset; return its failure, or None."""
        ends_at, wait_s = deadline_and_wait
        resolved = ResolvedSource(None, template.type, source)
        job = self._templates.page_job(plan, template, resolved, dataset.data())
        call = DryRunCall(
            workspace_id=template.workspace_id,
            request_id=current_ids()["request_id"],
            job=job,
            body_key=None,
            max_pages=page_limit(job, plan),
            ends_at=ends_at,
        )
        if not is_large(job):
            return self._invoke(call, dataset, wait_s)
        body_id = RenderId(self._ids.new("rnd", self._clock.now()))
        with self._bodies.temporary_body(template.workspace_id, body_id, job) as key:
            return self._invoke(replace(call, job=None, body_key=key), dataset, wait_s)

    def _invoke(
        self, call: DryRunCall, dataset: _NamedDataset, wait_s: float
    ) -> RenderFailure | None:
        event, deaths = call.to_json(), 0
        while self._left_s(call.ends_at) > 0:
            try:
                answer = self._function.invoke(event, wait_s=wait_s)
            except FunctionBusy:
                time.sleep(_RETRY_PAUSE_S)
            except FunctionLate:
                break
            except FunctionDied:
                deaths += 1
                log.warning("the render function died", extra={"attempt": deaths})
                if deaths == MAX_ATTEMPTS:
                    message = f"The dataset {dataset.name}: its process ended before it was done."
                    return RenderFailure("render_failed", message)
            else:
                return failure_from_answer(answer, f"The dataset {dataset.name}")
        return _timeout_failure(dataset)

    def _left_s(self, ends_at: float) -> float:
        return ends_at - self._clock.now().timestamp()


def _have_ended(tasks: Iterable[Future[RenderFailure | None]], within_s: float) -> bool:
    started = [task for task in tasks if not task.cancelled()]
    return not wait(started, timeout=max(0.0, within_s)).not_done


def _new_datasets(datasets: Sequence[NewDataset]) -> list[_NamedDataset]:
    def load_data(dataset: NewDataset) -> Callable[[], JsonObject]:
        return lambda: dataset.data

    return [
        _NamedDataset(f'"{each.name}" (/datasets/{n})', load_data(each), f"/datasets/{n}/data")
        for n, each in enumerate(datasets)
    ]


def _timeout_failure(dataset: _NamedDataset) -> RenderFailure:
    return RenderFailure(
        "render_timeout",
        f"The dataset {dataset.name} was not rendered in time: all datasets have {_MAX_S:g} s.",
    )
