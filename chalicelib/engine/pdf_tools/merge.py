"""Tool `merge`: all pages of all sources, in their order."""

from contextlib import ExitStack

from pikepdf import Pdf

from chalicelib.contract.options.pdf_tools import MergeOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.document.open_pdf import refuse_damage
from chalicelib.engine.pdf.document.save import save
from chalicelib.engine.pdf.drawings.test_mark import mark_pages
from chalicelib.engine.pdf.forms.signatures import warn_of_signatures
from chalicelib.engine.pdf.forms.xfa import remove_xfa
from chalicelib.engine.pdf.merging.joined_pdf import JoinedPdf
from chalicelib.engine.pdf.merging.merge_plain import merge_plain
from chalicelib.engine.pdf.text.plain_pdf import read_plain_pdf
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import PDF_TYPE, open_source


def run(tool_input: ToolInput[MergeOptions]) -> ToolOutput:
    """Add the sources to the first one, whose metadata the file has."""
    return _merge_by_text(tool_input) or _merge_by_objects(tool_input)


def _merge_by_text(tool_input: ToolInput[MergeOptions]) -> ToolOutput | None:
    """Merge plain documents, a tenth of the time that copying their objects takes."""
    if tool_input.test or tool_input.options.bookmarks:
        return None
    documents = []
    for source in tool_input.sources:
        document = read_plain_pdf(source.content)
        if document is None:
            return None
        documents.append(document)
    merged = merge_plain(documents)
    if merged is None or merged[1] > tool_input.max_pages:
        return None
    content, page_count = merged
    return ToolOutput((RenderedFile("pdf", content, PDF_TYPE, page_count),))


def _merge_by_objects(tool_input: ToolInput[MergeOptions]) -> ToolOutput:
    with ExitStack() as stack:
        documents = [
            stack.enter_context(open_source(source, tool_input)) for source in tool_input.sources
        ]
        page_count = sum(len(document.pages) for document in documents)
        if page_count > tool_input.max_pages:
            raise RenderFailure(
                "page_limit_exceeded",
                f"/sources: the merged PDF has {page_count} pages; {tool_input.max_pages} are "
                "allowed by the plan.",
            )
        for source, document in zip(tool_input.sources, documents, strict=True):
            with refuse_damage(source):
                _prepare(document, tool_input)
        titles = _titles(tool_input)
        with refuse_damage(tool_input.sources[0]):
            joined = JoinedPdf(documents[0], titles[0])
        for source, document, title in zip(
            tool_input.sources[1:], documents[1:], titles[1:], strict=True
        ):
            with refuse_damage(source):
                joined.add(document, title)
        joined.finish()
        file = RenderedFile("pdf", save(documents[0]), PDF_TYPE, page_count)
    return ToolOutput((file,))


def _titles(tool_input: ToolInput[MergeOptions]) -> list[str | None]:
    """Return the titles of the entries of the sources, or None for each if there are none."""
    if not tool_input.options.bookmarks:
        return [None] * len(tool_input.sources)
    return [
        source.name or f"Document {number}" for number, source in enumerate(tool_input.sources, 1)
    ]


def _prepare(document: Pdf, tool_input: ToolInput[MergeOptions]) -> None:
    warn_of_signatures(document, tool_input.warn)
    remove_xfa(document, tool_input.warn)
    if tool_input.test:
        mark_pages(document)
