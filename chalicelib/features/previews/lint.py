"""Lint of a render's templates: run each text without rendering a page."""

import logging
import re
from collections.abc import Sequence
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, no_capacity_error
from chalicelib.core.ids import IdGenerator
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.job import LintOutcome, PageJob
from chalicelib.engine.sources import Source
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.renders.run.bodies import engine_folder, is_large
from chalicelib.features.renders.run.jobs import upload_keys
from chalicelib.features.renders.run.protocol import MAX_BODY_BYTES
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.read import ReadTemplates

log = logging.getLogger(__name__)

_MAX_S: Final = 15.0
_SYNTAX_ERROR: Final = "template_syntax_error"
# Start of the engine's message about one text.
_TEXT_NAME: Final = re.compile(r"(html|head|css|output(?:\.\w+)+|layers\S*\.bind): ")


class LintTemplates(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Lint of a command's templates by the engine."""

    templates: ReadTemplates
    datasets: ReadDatasets
    engine: RemoteEngine
    clock: Clock
    ids: IdGenerator

    def __call__(self, command: RenderCommand, deadline: float) -> Sequence[RenderWarning]:
        """Return the warnings of a command's template, by `deadline` (Unix seconds).

        A request without data is linted with the template's default dataset. Raises the first error
        in its texts, with all of them; `region_degraded` if no answer comes, and
        `payload_too_large` for a body that would need the bucket although nothing may be stored
        (decision 17).
        """
        job = command.job
        if not isinstance(job, PageJob) or not job.source.has_templates:
            return ()
        has_data_url = job.data_url is not None
        if job.data is None and not has_data_url:
            job = replace(job, data=self._default_data(command))
        failures, warnings = self._outcome(command, replace(job, data_url=None), deadline)
        if has_data_url:
            # The data are not loaded: only syntax errors do not depend on them.
            failures = [each for each in failures if each.code == _SYNTAX_ERROR]
        if errors := [_field_error(each, job.source) for each in failures]:
            raise ServiceError(errors[0].code, errors[0].message, errors=errors)
        return () if has_data_url or job.data is None else warnings

    def _default_data(self, command: RenderCommand) -> JsonObject | None:
        if command.template_id is None:
            return None
        template = self.templates.one(command.workspace.id, command.template_id)
        if template.default_dataset is None:
            return None
        dataset = self.datasets.one(template, template.default_dataset)
        return self.datasets.data(template, dataset)

    def _outcome(self, command: RenderCommand, job: PageJob, deadline: float) -> LintOutcome:
        if command.delivery_policy.zero_retention and is_large(job):
            detail = "With retention none nothing waits in the bucket, and this cannot be handed on"
            raise ServiceError("payload_too_large", f"{detail}: at most {MAX_BODY_BYTES} bytes.")
        ends_at = min(self.clock.now().timestamp() + _MAX_S, deadline)
        workspace_id = command.workspace.id
        context = EngineCallContext(
            tenant=workspace_id,
            folder=engine_folder(workspace_id, self.ids.new("rnd", self.clock.now())),
            ends_at=ends_at,
            slot_ends_at=ends_at,
            uploads=upload_keys(job, workspace_id),
            may_store=not command.delivery_policy.zero_retention,
        )
        for _ in range(MAX_ATTEMPTS):
            try:
                return self.engine.lint(job, context)
            except RenderFailure as failure:
                if failure.code != "render_timeout":
                    return LintOutcome([failure])
                break
            except FunctionBusy:
                break
            except EngineLost:
                log.warning("the engine was lost", exc_info=True)
        raise no_capacity_error("trying the template")


def _field_error(failure: RenderFailure, source: Source) -> FieldError:
    line, column, excerpt = map(failure.members.get, ("line", "column", "excerpt"))
    prefix = _TEXT_NAME.match(failure.detail)
    message = failure.detail[prefix.end() if prefix else 0 :]
    if line is not None:
        message = f"line {line}, column {column}: {message} ({excerpt})"
    if prefix:
        message = f"{prefix[1]}: {message}"
    return FieldError(_field_pointer(prefix[1] if prefix else "", source), failure.code, message)


def _field_pointer(text_name: str, source: Source) -> str:
    """Return the JSON Pointer to the field of the request that has a text."""
    if text_name.startswith("output."):
        return f"/{text_name.replace('.', '/')}"
    return source.text_pointer(text_name)
