"""Template source: a stored template, and its content once it is found."""

from collections.abc import Iterator
from typing import override

from chalicelib.core.json import JsonObject
from chalicelib.engine.context import JobContext
from chalicelib.engine.sources.canvas import CanvasSource
from chalicelib.engine.sources.html import HtmlSource
from chalicelib.engine.sources.source import SourceBase
from chalicelib.engine.sources.source_document import SourceDocument, SourceInputs
from chalicelib.engine.templating.template_runner import TemplateRunner


class TemplateSource(SourceBase, frozen=True, tag="template"):
    """Stored template; `content` is None until the template is found."""

    template_id: str
    content: HtmlSource | CanvasSource | None = None

    @property
    @override
    def has_templates(self) -> bool:
        return self.content is not None and self.content.has_templates

    @property
    @override
    def has_document(self) -> bool:
        return self.content is not None

    @property
    @override
    def invalid_data_code(self) -> str:
        return self._resolved_content.invalid_data_code

    @override
    def texts(self) -> Iterator[str]:
        yield from self._resolved_content.texts()

    @override
    def text_name(self, text: str) -> str | None:
        return self._resolved_content.text_name(text)

    @override
    def text_pointer(self, name: str) -> str:
        return "/input/template_id"

    @override
    def summary(self, *, zero_retention: bool) -> JsonObject:
        return {"type": "template", "template_id": self.template_id}

    @override
    def document(
        self, inputs: SourceInputs, context: JobContext, templates: TemplateRunner
    ) -> SourceDocument:
        return self._resolved_content.document(inputs, context, templates)

    @property
    def _resolved_content(self) -> HtmlSource | CanvasSource:
        assert self.content is not None, "the template is not found yet"
        return self.content
