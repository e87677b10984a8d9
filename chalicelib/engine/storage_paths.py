"""Paths of files at storage destinations: runs their templates once the files exist.

A path never fails the render: its failure is the fault of its upload.
"""

import logging
import time
from collections.abc import Sequence
from typing import Final

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.core.storage import DEFAULT_PATH
from chalicelib.core.text import safe_filename
from chalicelib.engine.context import JobContext, RenderedFile
from chalicelib.engine.delivery.storage import RenderedPath, StorageTarget
from chalicelib.engine.job import InvoiceJob, Job, PageJob
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.template_runner import TemplateRunner

log = logging.getLogger(__name__)

# For all paths together; the render itself must not come too late.
_MAX_S: Final = 10.0
_MARGIN_S: Final = 2.0
_MIN_S: Final = 1.0
# Of a text before it is cleaned; a store takes 1,024 bytes.
_MAX_CHARACTERS: Final = 10_000
_TOO_LONG: Final = f"The path has more than {_MAX_CHARACTERS} characters."


def render_storage_paths(
    job: Job,
    context: JobContext,
    templates: TemplateRunner,
    files: Sequence[RenderedFile],
    filename: str | None,
) -> tuple[RenderedPath, ...]:
    """Return the path of each file at each target, target by target.

    The data must be loaded. `filename` is that of the request, after its template ran.
    """
    if job.storage is None:
        return ()
    now = time.time()
    # A late render has its files by now: a path takes milliseconds, and its own time.
    deadline = min(now + _MAX_S, max(context.deadline - _MARGIN_S, now + _MIN_S))
    paths = _PathTemplates(job, templates, deadline)
    names = [_values(job.storage.context, file, n, filename) for n, file in enumerate(files)]
    return tuple(paths.render(target, each) for target in job.storage.targets for each in names)


class _PathTemplates:
    """Templates of paths over the data of a job."""

    def __init__(self, job: Job, templates: TemplateRunner, deadline: float) -> None:
        self._templates = templates
        self._deadline = deadline
        if isinstance(job, PageJob):
            self._data: JsonObject = job.data or {}
            self._includes, self._strict = job.includes, job.output.strict_undefined
            self._locale = LocaleDefaults(job.output.locale, job.output.timezone)
        else:
            self._data = {"invoice": job.invoice} if isinstance(job, InvoiceJob) else {}
            self._includes, self._strict, self._locale = Includes(), False, LocaleDefaults()

    def render(self, target: StorageTarget, values: JsonObject) -> RenderedPath:
        try:
            text = self._text(target.path, values)
        except RenderFailure as failure:
            return RenderedPath(fault=failure.detail)
        except Exception:
            # A hostile template may provoke any exception; the files of the render are good.
            log.exception("storage path not evaluated")
            return RenderedPath(fault="The service could not evaluate the path.")
        if len(text) > _MAX_CHARACTERS:
            return RenderedPath(fault=_TOO_LONG)
        return RenderedPath(text)

    def _text(self, source: str, values: JsonObject) -> str:
        if source == DEFAULT_PATH:
            return str(values["filename"])
        if "{" not in source:
            return source
        return self._templates.render(
            source,
            {**self._data, "data": self._data, **values},
            strict=self._strict,
            deadline=self._deadline,
            escape=False,
            includes=self._includes,
            locale_defaults=self._locale,
        )


def _values(
    context: JsonObject, file: RenderedFile, index: int, filename: str | None
) -> JsonObject:
    """Return the values that templates of paths get besides the data, over which they win."""
    fallback = str(context["render_id"])
    return {
        **context,
        "filename": safe_filename(
            filename, fallback=fallback, extension=file.format, part=file.part
        ),
        "format": file.format,
        "index": index,
    }
