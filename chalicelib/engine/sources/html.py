"""HTML source: the text of a request or an upload."""

import re
from collections.abc import Iterator, Mapping
from copy import replace
from typing import Final, override

from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import Json
from chalicelib.engine.context import JobContext
from chalicelib.engine.sources.output_texts import (
    TemplateTexts,
    left_placeholder_warnings,
    render_output_texts,
)
from chalicelib.engine.sources.source import SourceBase
from chalicelib.engine.sources.source_document import SourceDocument, SourceInputs
from chalicelib.engine.templating.filters.locale_defaults import page_language
from chalicelib.engine.templating.template_runner import TemplateRunner

# The document's head, or else the last tag that must precede a head.
_HEAD_TAGS: Final = (
    re.compile(r"<head(?=[\s>])", re.IGNORECASE),
    re.compile(r"<html(?=[\s>])", re.IGNORECASE),
    re.compile(r"<!doctype", re.IGNORECASE),
)


class HtmlSource(SourceBase, frozen=True, tag="html"):
    """HTML document: `html`, or the upload.

    With `templating` all texts are templates over the job's data.
    """

    html: str | None = None
    upload_id: str | None = None
    head: str | None = None
    css: str | None = None
    templating: bool = False

    @property
    @override
    def has_templates(self) -> bool:
        return self.templating

    @override
    def referenced_uploads(self) -> Mapping[str, str]:
        return {} if self.upload_id is None else {"/input/upload_id": self.upload_id}

    @override
    def texts(self) -> Iterator[str]:
        yield from filter(None, (self.html, self.head, self.css))

    @override
    def text_name(self, text: str) -> str:
        names = {self.css: "css", self.head: "head", self.html: "html"}
        return names.get(text, "html")

    @override
    def text_pointer(self, name: str) -> str:
        if name == "html" and self.upload_id is not None:
            return "/input/upload_id"
        return super().text_pointer(name)

    @override
    def document(
        self, inputs: SourceInputs, context: JobContext, templates: TemplateRunner
    ) -> SourceDocument:
        html, head, css = self.load(context), self.head or "", self.css or ""
        if not self.templating:
            output = render_output_texts(inputs.output)
            warnings = tuple(left_placeholder_warnings(output))
            html = insert_head(html, head, css)
            return SourceDocument(html, output, warnings=warnings, has_templates=False)
        # Each text is a separate template, so that line numbers in failures are the caller's.
        texts = TemplateTexts(templates, inputs, context)
        html = texts.run(html, {}, escape=True, name="html")
        # The other texts have no `<html lang>`: they use the language of the document.
        texts = replace(texts, language=page_language(html))
        head, css = (
            _run_part(texts, text, name) if text else text
            for name, text in (("head", head), ("css", css))
        )
        output = render_output_texts(inputs.output, texts.run)
        return SourceDocument(insert_head(html, head, css), output, warnings=texts.warnings)

    def load(self, context: JobContext) -> str:
        """Return the HTML, which may be an upload.

        Raises RenderFailure `upload_not_found`, and `render_failed` where it is not UTF-8.
        """
        if self.html is not None:
            return self.html
        assert self.upload_id is not None, "the contract asks for one of both"
        try:
            return context.uploads(self.upload_id).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            message = (
                "/input/upload_id: the upload is not UTF-8, which HTML must be: save it so, "
                "whatever encoding it names, and upload it again."
            )
            raise RenderFailure("render_failed", message) from error

    @override
    def _references(self) -> Mapping[str, Json]:
        return {"upload_id": self.upload_id, "templating": self.templating}


def _run_part(texts: TemplateTexts, source: str, name: str) -> str:
    """Return the text of a part of the document; the detail of its failure begins with `name`."""
    try:
        return texts.run(source, {}, escape=True, name=name)
    except RenderFailure as failure:
        raise failure.with_text_name(name) from failure


def insert_head(html: str, head: str, css: str) -> str:
    """Return a document with more in its head; without one it comes first."""
    if css:
        head += f"<style>{css}</style>"
    if not head:
        return html
    position = next(filter(None, (_end_of_tag(html, tag) for tag in _HEAD_TAGS)), 0)
    return html[:position] + head + html[position:]


def _end_of_tag(html: str, tag: re.Pattern[str]) -> int:
    """Return the position behind the first such tag; 0 without one. The time is linear."""
    match = tag.search(html)
    return 0 if match is None else html.find(">", match.end()) + 1
