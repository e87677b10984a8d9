"""Lint of templates: runs those of a job without drawing, or compiles texts; collects faults."""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol, Unpack

import msgspec

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.context import JobContext
from chalicelib.engine.inputs.data import load_data_and_invoice
from chalicelib.engine.job import LintOutcome, PageJob
from chalicelib.engine.ports import Egress
from chalicelib.engine.sources.source_document import SourceDocument
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.template_runner import TemplateRunner, TemplateRunOptions

type _RunKey = tuple[str, bool | None, LocaleDefaults | None, frozenset[str]]


class TemplateCompiler(Protocol):
    """Compiler of templates."""

    def render(
        self,
        source: str,
        data: JsonObject,
        *,
        compile_only: bool,
        **options: Unpack[TemplateRunOptions],
    ) -> str:
        """Compile a template; raises RenderFailure `template_…` or `render_timeout`."""
        ...


# The document is built once more for each fault.
_MAX_FAULTS: Final = 20


def template_faults(
    job: PageJob, context: JobContext, templates: TemplateRunner, egress: Egress
) -> LintOutcome:
    """Return the first twenty failures of a job's templates, and the warnings of all others.

    Each detail begins with the name of its text. A failure that is not a template's ends the list,
    because the document cannot be built without its cause.
    """
    try:
        job = load_data_and_invoice(job, context, egress)
    except RenderFailure as failure:
        return LintOutcome([failure])
    faults, document = document_faults(job, context, templates)
    return LintOutcome(faults, document.warnings if document else ())


def compile_faults(job: PageJob, context: JobContext, templates: TemplateCompiler) -> LintOutcome:
    """Return the first twenty failures of a job's templates that they have with any data.

    They are compiled, with those that every run includes, extends or imports. Raises RenderFailure
    `render_timeout`.
    """
    failures, _ = document_faults(job, context, _CompileOnlyTemplates(templates=templates))
    for failure in failures:
        if failure.code == "render_timeout":
            raise failure
    # The document cannot be built of empty texts in any case.
    return LintOutcome([each for each in failures if each.code.startswith("template_")])


def document_faults(
    job: PageJob, context: JobContext, templates: TemplateRunner
) -> tuple[Sequence[RenderFailure], SourceDocument | None]:
    """Return the first twenty failures of a job's templates, and its document without their texts.

    The data must be loaded. The document is None where it cannot be built.
    """
    templates_once = _RunOnceTemplates(templates)
    faults: list[RenderFailure] = []
    document = None
    while len(faults) < _MAX_FAULTS:
        templates_once.reset()
        try:
            document = job.document(context, templates_once)
        except RenderFailure as failure:
            faults.append(_with_text_name(failure, job, templates_once.failed_source))
            if templates_once.failed_source is None or not failure.code.startswith("template_"):
                break
        else:
            break
    return faults, document


def syntax_faults(
    texts: Mapping[str, str], templates: TemplateCompiler, deadline: float
) -> list[RenderFailure]:
    """Return the failures of texts that cannot be compiled, by `deadline` (seconds since 1970).

    Their member `text` is the name of the text. Raises RenderFailure `render_timeout`.
    """
    faults = []
    for name, source in texts.items():
        try:
            templates.render(source, {}, strict=False, deadline=deadline, compile_only=True)
        except RenderFailure as failure:
            if not failure.code.startswith("template_"):
                raise
            failure.members["text"] = name
            faults.append(failure)
    return faults


def _with_text_name(failure: RenderFailure, job: PageJob, text: str | None) -> RenderFailure:
    """Return a failure whose detail begins with the name of its text.

    Those of all but the HTML do already.
    """
    name = None if text is None else job.source.text_name(text)
    if name is None or failure.detail.startswith(("output.", f"{name}: ")):
        return failure
    return failure.with_text_name(name)


class _CompileOnlyTemplates(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Template runner that compiles; all texts are empty."""

    templates: TemplateCompiler

    def render(self, source: str, data: JsonObject, **options: Unpack[TemplateRunOptions]) -> str:
        """Return an empty text; raises RenderFailure."""
        return self.templates.render(source, data, **options, compile_only=True)


class _RunOnceTemplates:
    """Template runner that runs each template once.

    A template that failed gives an empty text from then on, so that the next run finds the next
    fault.
    """

    def __init__(self, templates: TemplateRunner) -> None:
        """Run the templates with `templates`."""
        self._templates = templates
        self._texts: dict[_RunKey, str] = {}
        self.failed_source: str | None = None

    def reset(self) -> None:
        """Forget the last failure."""
        self.failed_source = None

    def render(self, source: str, data: JsonObject, **options: Unpack[TemplateRunOptions]) -> str:
        """Return the text; raises RenderFailure the first time."""
        key = (source, options.get("escape"), options.get("locale_defaults"), frozenset(data))
        if key not in self._texts:
            self._texts[key] = ""
            try:
                self._texts[key] = self._templates.render(source, data, **options)
            except RenderFailure:
                self.failed_source = source
                raise
        return self._texts[key]
