"""Render every dataset of a template in full, side by side, before it is published."""

import logging
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed, wait
from contextvars import copy_context
from copy import replace
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.functions import Function, FunctionBusy, FunctionDied, FunctionLate
from chalicelib.adapters.json_logs import present_ids
from chalicelib.core.clock import Clock
from chalicelib.core.errors import RenderFailure
from chalicelib.core.ids import Ids, RenderId
from chalicelib.features.renders.bodies import Bodies, is_large
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.renders.order import check_region
from chalicelib.features.renders.rehearsal import Rehearsal, failure_of
from chalicelib.features.renders.templates import PutTemplates
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.model import Source, Template
from chalicelib.features.templates.publish import NewDataset
from chalicelib.features.templates.schemas import CheckSchemas
from chalicelib.features.templates.sources import TemplateSource
from chalicelib.features.workspaces.places import Held, Places
from chalicelib.features.workspaces.plans import Plan
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.features.workspaces.service_state import ServiceStates

log = logging.getLogger(__name__)

_MOST_S: Final = 25.0
# Kept back for what comes after the answers.
_WAY_BACK_S: Final = 0.5
# Nor more than the plan lets be rendered together in the background.
_AT_ONCE: Final = 10
_BUSY_PAUSE_S: Final = 0.15
# Most of those that still run when one has failed are done by then.
_ENDING_S: Final = 2.0


@dataclass(frozen=True, slots=True)
class _Named:
    """A dataset, how it is called, and where its data stand in the request."""

    name: str
    data: Callable[[], Mapping[str, Any]]
    pointer: str


class RehearseDatasets:
    """Renders datasets; nothing of it is stored or billed."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        workspaces: Workspaces,
        datasets: ReadDatasets,
        templates: PutTemplates,
        schemas: CheckSchemas,
        bodies: Bodies,
        function: Function,
        state: ServiceStates,
        places: Places,
        region: str,
        clock: Clock,
        ids: Ids,
    ) -> None:
        """Build from the stores and the render function."""
        self._state = state
        self._places = places
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
        source: Source,
        *,
        datasets: Sequence[NewDataset] | None,
        deadline: float,
    ) -> None:
        """Return when all of them came out well.

        Raises what the first that failed fails with, and what keeps this workspace from rendering
        here and now: `region_not_enabled`, `region_degraded`, `maintenance`, `concurrency_limited`.
        """
        named = self._kept(template) if datasets is None else _new(datasets)
        if not named:
            return
        now = self._clock.now().timestamp()
        ends_at = min(deadline - _WAY_BACK_S, now + _MOST_S)
        workspace = self._workspaces.get(template.workspace_id)
        assert workspace is not None, template.workspace_id
        check_region(workspace, self._region)
        self._state.require_normal()
        with self._places(workspace, until=ends_at) as place:
            for each in named:
                self._check(source.schema, each, ends_at)
            self._side_by_side(workspace.plan, template, source, named, (ends_at, place))

    def _check(self, schema: Mapping[str, Any] | None, named: _Named, ends_at: float) -> None:
        """Refuse a dataset that does not fit the template's schema."""
        within_s = self._left_s(ends_at)
        if within_s <= 0:
            raise _too_late(named)
        whose = f"The dataset {named.name}"
        try:
            self._schemas.data(
                schema, named.data(), whose=whose, prefix=named.pointer, within_s=within_s
            )
        except RenderFailure as failure:
            if failure.code == "render_timeout":
                raise _too_late(named) from failure
            if failure.code == "template_fuel_exhausted":
                raise RenderFailure(failure.code, f"{whose}: {failure.detail}") from failure
            raise

    def _kept(self, template: Template) -> list[_Named]:
        read = self._datasets

        def data(dataset: Any) -> Callable[[], Mapping[str, Any]]:
            return lambda: read.data(template, dataset)

        return [
            _Named(f'"{each.name}" ({each.id})', data(each), "/data") for each in read.all(template)
        ]

    def _side_by_side(
        self,
        plan: Plan,
        template: Template,
        source: Source,
        named: Sequence[_Named],
        within: tuple[float, Held],
    ) -> None:
        ends_at, place = within
        at_once = min(len(named), _AT_ONCE, plan.bulk_concurrency)
        pool = ThreadPoolExecutor(at_once, thread_name_prefix="rehearsal")
        wait_s = self._left_s(ends_at)
        self._function.warm(wait_s)
        running = {
            pool.submit(
                copy_context().run, self._one, plan, template, source, each, (ends_at, wait_s)
            ): each
            for each in named
        }
        try:
            for done in as_completed(running, timeout=max(0.0, wait_s)):
                failure = done.result()
                if failure is not None:
                    raise failure
        except TimeoutError as late:
            slow = next((each for task, each in running.items() if not task.done()), named[-1])
            raise _too_late(slow) from late
        finally:
            # Whoever runs ends by itself at `ends_at`, and keeps the place for so long.
            pool.shutdown(wait=False, cancel_futures=True)
            place.outlived = not _ended(running, min(_ENDING_S, self._left_s(ends_at)))

    def _one(
        self,
        plan: Plan,
        template: Template,
        source: Source,
        named: _Named,
        time_left: tuple[float, float],
    ) -> RenderFailure | None:
        """Return why the document of one dataset cannot be made."""
        ends_at, wait_s = time_left
        found = TemplateSource(None, template.type, source)
        body = self._templates.body_of(plan, template, found, named.data())
        asked = body.output["pdf"]["max_pages"]
        order = Rehearsal(
            workspace_id=template.workspace_id,
            request_id=present_ids()["request_id"],
            body=body,
            body_key=None,
            max_pages=min(asked or plan.max_pages, plan.max_pages),
            ends_at=ends_at,
        )
        if not is_large(body):
            return self._asked(order, named, wait_s)
        name = RenderId(self._ids.new("rnd", self._clock.now()))
        with self._bodies.lent(template.workspace_id, name, body) as key:
            return self._asked(replace(order, body=None, body_key=key), named, wait_s)

    def _asked(self, order: Rehearsal, named: _Named, wait_s: float) -> RenderFailure | None:
        event, died = order.to_json(), 0
        while self._left_s(order.ends_at) > 0:
            try:
                answer = self._function.invoke(event, wait_s=wait_s)
            except FunctionBusy:
                time.sleep(_BUSY_PAUSE_S)
            except FunctionLate:
                break
            except FunctionDied:
                died += 1
                log.warning("the render function died", extra={"attempt": died})
                if died == MAX_ATTEMPTS:
                    message = f"The dataset {named.name}: its process ended before it was done."
                    return RenderFailure("render_failed", message)
            else:
                return failure_of(answer, f"The dataset {named.name}")
        return _too_late(named)

    def _left_s(self, ends_at: float) -> float:
        return ends_at - self._clock.now().timestamp()


def _ended(tasks: Iterable[Future[Any]], within_s: float) -> bool:
    begun = [task for task in tasks if not task.cancelled()]
    return not wait(begun, timeout=max(0.0, within_s)).not_done


def _new(datasets: Sequence[NewDataset]) -> list[_Named]:
    def data(dataset: NewDataset) -> Callable[[], Mapping[str, Any]]:
        return lambda: dataset.data

    return [
        _Named(f'"{each.name}" (/datasets/{n})', data(each), f"/datasets/{n}/data")
        for n, each in enumerate(datasets)
    ]


def _too_late(named: _Named) -> RenderFailure:
    return RenderFailure(
        "render_timeout",
        f"The dataset {named.name} was not rendered in time: all datasets have {_MOST_S:g} s.",
    )
