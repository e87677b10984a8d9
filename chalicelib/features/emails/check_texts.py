"""Check that the texts of an email rule are templates; the engine function compiles them."""

import logging
from collections.abc import Mapping, Sequence
from typing import Final

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, no_capacity_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.emails.condition import condition_failure, condition_source
from chalicelib.engine.remote.calls import SyntaxCall
from chalicelib.engine.remote.results import LintResult

log = logging.getLogger(__name__)

_MAX_S: Final = 10.0
_MAX_CALLS: Final = 2
# The JSON Pointers of texts that are not a field of their own.
_POINTERS: Final = {"params": "/provider_template/params"}


class CheckRuleTexts:
    """Check of texts by the engine, which has the confined process for templates."""

    def __init__(self, engine: RemoteEngine, clock: Clock) -> None:
        """Ask `engine`."""
        self._engine = engine
        self._clock = clock

    def __call__(self, workspace_id: WorkspaceId, texts: Mapping[str, str]) -> None:
        """Raise `email_template_error` for the texts, by field, that cannot be compiled.

        Raises `region_degraded` if no answer comes.
        """
        sources = {name: text for name, text in texts.items() if text.strip()}
        condition = sources.get("condition", "")
        if condition:
            sources["condition"] = condition_source(condition)
        failures = [
            condition_failure(each, condition) if each.members["text"] == "condition" else each
            for each in (self._failures(workspace_id, sources) if sources else ())
        ]
        if failures:
            raise _refusal(failures)

    def _failures(
        self, workspace_id: WorkspaceId, sources: Mapping[str, str]
    ) -> list[RenderFailure]:
        ends_at = self._clock.now().timestamp() + _MAX_S
        context = EngineCallContext(
            tenant=workspace_id, folder="", ends_at=ends_at, slot_ends_at=ends_at, may_store=False
        )
        call = SyntaxCall(ends_at=ends_at, result_form=None, texts=sources)
        for _ in range(_MAX_CALLS):
            try:
                result, _contents = self._engine.ask(call, LintResult, context)
                return [record.failure() for record in result.failures]
            except (FunctionBusy, RenderFailure):
                break
            except EngineLost:
                log.warning("the engine was lost", exc_info=True)
        raise no_capacity_error("checking the texts of the email rule")


def _refusal(failures: Sequence[RenderFailure]) -> ServiceError:
    """Return the error of all texts; its members are the place of the first failure."""
    errors = [_field_error(each) for each in failures]
    first = failures[0]
    return ServiceError(
        "email_template_error",
        f"{errors[0].path}: {first.detail}",
        errors=errors,
        field=first.members["text"],
        **{name: first.members.get(name) for name in ("line", "column", "excerpt")},
    )


def _field_error(failure: RenderFailure) -> FieldError:
    name, line = str(failure.members["text"]), failure.members.get("line")
    message = failure.detail
    if line is not None:
        column, excerpt = failure.members["column"], failure.members["excerpt"]
        message = f"line {line}, column {column}: {message} ({excerpt})"
    return FieldError(_POINTERS.get(name, f"/{name}"), "email_template_error", message)
