"""Base class of sources: the questions that others ask a source."""

from collections.abc import Iterator, Mapping

import msgspec

from chalicelib.core.json import Json, JsonObject
from chalicelib.engine.context import JobContext
from chalicelib.engine.sources.source_document import SourceDocument, SourceInputs
from chalicelib.engine.templating.template_runner import TemplateRunner


class SourceBase(msgspec.Struct, frozen=True, tag_field="type"):
    """Source of a page."""

    @property
    def template_id(self) -> str | None:
        """Return the id of the stored template, or None."""
        return None

    @property
    def has_templates(self) -> bool:
        """Tell whether its texts are templates over the job's data."""
        return False

    @property
    def has_document(self) -> bool:
        """Tell whether its document is known without the web."""
        return True

    @property
    def invalid_data_code(self) -> str:
        """Return the code of a render whose `data_url` answers no JSON object."""
        return "data_url_fetch_failed"

    def referenced_uploads(self) -> Mapping[str, str]:
        """Return the ids of its uploads, by JSON Pointer into the request."""
        return {}

    def texts(self) -> Iterator[str]:
        """Yield the texts that may include templates."""
        yield from ()

    def text_name(self, text: str) -> str | None:  # noqa: ARG002 -- for subclasses
        """Return the name of a text that failed as a template, or None."""
        return None

    def text_pointer(self, name: str) -> str:
        """Return the JSON Pointer to the request's field with a text of that name."""
        return f"/input/{name}" if name else "/input"

    def summary(self, *, zero_retention: bool) -> JsonObject:
        """Return the input as it is kept with the render: no content, no secrets.

        With zero retention it reveals nothing about the document (decision 17).
        """
        kept = {} if zero_retention else self._references()
        return {"type": self.__struct_config__.tag, **kept}

    def document(
        self, inputs: SourceInputs, context: JobContext, templates: TemplateRunner
    ) -> SourceDocument:
        """Return the document to load, with all templates run over the loaded data.

        Raises RenderFailure `template_…`, `render_timeout`, `upload_not_found` or `render_failed`.
        """
        raise NotImplementedError

    def _references(self) -> Mapping[str, Json]:
        """Return the members of the input that are no content."""
        return {}
