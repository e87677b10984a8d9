"""URL source: a page of the web."""

from collections.abc import Mapping
from typing import override

from chalicelib.core.json import Json
from chalicelib.engine.context import JobContext
from chalicelib.engine.sources.output_texts import render_output_texts
from chalicelib.engine.sources.source import SourceBase
from chalicelib.engine.sources.source_document import SourceDocument, SourceInputs
from chalicelib.engine.templating.template_runner import TemplateRunner


class UrlSource(SourceBase, frozen=True, tag="url"):
    """Page of the web at a public http or https URL."""

    url: str

    @property
    @override
    def has_document(self) -> bool:
        return False

    @override
    def document(
        self, inputs: SourceInputs, context: JobContext, templates: TemplateRunner
    ) -> SourceDocument:
        return SourceDocument("", render_output_texts(inputs.output, has_url=True), url=self.url)

    @override
    def _references(self) -> Mapping[str, Json]:
        return {"url": self.url}
