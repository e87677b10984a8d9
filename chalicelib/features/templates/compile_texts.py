"""Compilation of short templates by the engine, which has the confined process for them."""

import logging
from collections.abc import Mapping
from typing import Final

import msgspec

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, RenderFailure, no_capacity_error
from chalicelib.engine.remote.calls import SyntaxCall
from chalicelib.engine.remote.results import LintResult
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.model import Workspace

log = logging.getLogger(__name__)

_MAX_S: Final = 10.0
_MAX_CALLS: Final = 2
# Members of a failure, None where they are unknown.
PLACE: Final = ("line", "column", "excerpt")


class CompileTexts(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Check that texts, by their names, are templates."""

    engine: RemoteEngine
    leases: ConcurrencyLeases
    clock: Clock

    def __call__(self, workspace: Workspace, texts: Mapping[str, str]) -> list[RenderFailure]:
        """Return the failures of the texts that cannot be compiled; `text` of each is the name.

        Raises `concurrency_limited`, and `region_degraded` if no answer comes.
        """
        ends_at = self.clock.now().timestamp() + _MAX_S
        with self.leases(workspace, until=ends_at):
            return self._failures(workspace, texts, ends_at)

    def _failures(
        self, workspace: Workspace, texts: Mapping[str, str], ends_at: float
    ) -> list[RenderFailure]:
        context = EngineCallContext(
            tenant=workspace.id, folder="", ends_at=ends_at, slot_ends_at=ends_at, may_store=False
        )
        call = SyntaxCall(ends_at=ends_at, result_form=None, texts=texts)
        for _ in range(_MAX_CALLS):
            try:
                result, _contents = self.engine.ask(call, LintResult, context)
                return [record.failure() for record in result.failures]
            except (FunctionBusy, RenderFailure):
                break
            except EngineLost:
                log.warning("the engine was lost", exc_info=True)
        raise no_capacity_error(f"checking the templates in {', '.join(sorted(texts))}")


def text_error(failure: RenderFailure, pointer: str, code: str) -> FieldError:
    """Return the error of the field at `pointer`, whose message names the place of the failure."""
    line, column, excerpt = (failure.members.get(name) for name in PLACE)
    message = failure.detail
    if line is not None:
        message = f"line {line}, column {column}: {message} ({excerpt})"
    return FieldError(pointer, code, message)
