"""Checks of a request in the engine, which renders nothing: templates, page and addresses."""

import logging
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import replace
from typing import TYPE_CHECKING, Final

import msgspec

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.core.clock import Clock
from chalicelib.core.errors import FieldError, RenderFailure, ServiceError, no_capacity_error
from chalicelib.core.ids import IdGenerator
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.job import Job, LintOutcome, PageJob
from chalicelib.engine.sources import Source
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.model import MAX_ATTEMPTS
from chalicelib.features.renders.run.bodies import engine_folder, is_large
from chalicelib.features.renders.run.jobs import upload_keys
from chalicelib.features.renders.run.protocol import MAX_BODY_BYTES
from chalicelib.features.templates.datasets import ReadDatasets
from chalicelib.features.templates.read import ReadTemplates

if TYPE_CHECKING:
    from chalicelib.contract.options.pdf import HeaderFooter

log = logging.getLogger(__name__)

_MAX_S: Final = 15.0
_SYNTAX_ERROR: Final = "template_syntax_error"
_OVERLAP: Final = "header_footer_overlap"
# Start of the engine's message about one text.
_TEXT_NAME: Final = re.compile(r"(html|head|css|output(?:\.\w+)+|layers\S*\.bind): ")
_DATA_URL: Final = "/data_url"


class CheckInEngine(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Checks of commands by the engine, each until `deadline` (Unix seconds).

    Both raise `region_degraded` if no answer comes.
    """

    templates: ReadTemplates
    datasets: ReadDatasets
    engine: RemoteEngine
    clock: Clock
    ids: IdGenerator

    def page(self, command: RenderCommand, deadline: float) -> Sequence[RenderWarning]:
        """Return the warnings of a command's page, which is shown without scripts and the web.

        A template without data is tried with its default dataset. Raises the first error in its
        texts, with all of them, and `payload_too_large` for a body that would need the bucket
        although nothing may be stored (decision 17).
        """
        job = command.job
        if not isinstance(job, PageJob) or not job.has_page_to_check:
            return ()
        has_data_url = job.data_url is not None and job.uses_data
        if job.data is None and not has_data_url:
            job = replace(job, data=self._default_data(command))
        failures, warnings = self._outcome(command, replace(job, data_url=None), deadline)
        if has_data_url and job.source.has_templates:
            # The data are not loaded: only syntax errors do not depend on them.
            failures = [each for each in failures if each.code == _SYNTAX_ERROR]
            warnings = list(_independent_of_data(warnings, job))
        if errors := [_field_error(each, job.source) for each in failures]:
            raise ServiceError(errors[0].code, errors[0].message, errors=errors)
        return warnings

    def addresses(
        self, command: RenderCommand, urls: Mapping[str, str], deadline: float
    ) -> Mapping[str, str]:
        """Return why URLs, by JSON Pointer, are refused once their hosts are looked up."""
        context = self._context(command, deadline, {})
        https_only = [pointer for pointer in urls if pointer == _DATA_URL]
        return self._ask(
            lambda: self.engine.look_up(urls, context, https_only=https_only),
            "looking up the addresses",
        )

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
        context = self._context(command, deadline, upload_keys(job, command.workspace.id))
        try:
            return self._ask(lambda: self.engine.lint(job, context), "trying the template")
        except RenderFailure as failure:
            return LintOutcome([failure])

    def _context(
        self, command: RenderCommand, deadline: float, uploads: Mapping[str, str]
    ) -> EngineCallContext:
        ends_at = min(self.clock.now().timestamp() + _MAX_S, deadline)
        workspace_id = command.workspace.id
        return EngineCallContext(
            tenant=workspace_id,
            folder=engine_folder(workspace_id, self.ids.new("rnd", self.clock.now())),
            ends_at=ends_at,
            slot_ends_at=ends_at,
            uploads=uploads,
            may_store=not command.delivery_policy.zero_retention,
        )

    def _ask[Answer](self, call: Callable[[], Answer], work: str) -> Answer:
        """Return the answer to a call; raises RenderFailure, and `region_degraded` without one."""
        for _ in range(MAX_ATTEMPTS):
            try:
                return call()
            except RenderFailure as failure:
                if failure.code != "render_timeout":
                    raise
                break
            except FunctionBusy:
                break
            except EngineLost:
                log.warning("the engine was lost", exc_info=True)
        raise no_capacity_error(work)


def needs_engine(job: Job, urls: Mapping[str, str]) -> bool:
    """Tell whether the engine has something to check; `urls` are those that the job fetches."""
    return bool(urls) or (isinstance(job, PageJob) and job.has_page_to_check)


def _independent_of_data(
    warnings: Sequence[RenderWarning], job: PageJob
) -> Iterator[RenderWarning]:
    """Yield the warnings about headers and footers whose heights do not depend on the data."""
    for warning in warnings:
        if warning.code != _OVERLAP or warning.detail is None:
            continue
        part: HeaderFooter | None = getattr(job.output.pdf, warning.detail.rpartition("/")[2], None)
        texts = () if part is None else (part.html, part.left, part.center, part.right)
        if part is not None and (part.height or not any("{" in (text or "") for text in texts)):
            yield warning


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
