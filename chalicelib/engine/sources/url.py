"""URL source: a page of the web."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, override

from chalicelib.core.json import Json
from chalicelib.engine.sources.source import SourceBase
from chalicelib.engine.sources.source_document import (
    SourceDocument,
    TemplateRunner,
    render_output_texts,
)

if TYPE_CHECKING:
    from chalicelib.engine.context import JobContext
    from chalicelib.engine.job import PageJob


class UrlSource(SourceBase, frozen=True, tag="url"):
    """Page of the web at a public http or https URL."""

    url: str

    @override
    def document(
        self, job: "PageJob", context: "JobContext", templates: TemplateRunner
    ) -> SourceDocument:
        return SourceDocument("", render_output_texts(job.output, has_url=True), url=self.url)

    @override
    def _references(self) -> Mapping[str, Json]:
        return {"url": self.url}
