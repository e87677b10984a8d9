"""Tool `merge`: all pages of all sources, in their order."""

from contextlib import ExitStack

from pikepdf import Pdf

from chalicelib.contract.options.pdf_tools import MergeOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.finishing.test_mark import mark_pages
from chalicelib.engine.job import RenderedFile
from chalicelib.engine.pdf_tools.document.open_source import open_source, refuse_damage
from chalicelib.engine.pdf_tools.document.write_pdf import PDF_TYPE, save, warn_of_signatures
from chalicelib.engine.pdf_tools.document.xfa import remove_xfa
from chalicelib.engine.pdf_tools.merging.joined_pdf import JoinedPdf
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput


def run(tool_input: ToolInput[MergeOptions]) -> ToolOutput:
    """Add the sources to the first one, whose metadata the file has."""
    with ExitStack() as stack:
        documents = [
            stack.enter_context(open_source(source, tool_input)) for source in tool_input.sources
        ]
        page_count = sum(len(document.pages) for document in documents)
        if page_count > tool_input.max_pages:
            raise RenderFailure(
                "page_limit_exceeded",
                f"The merged PDF has {page_count} pages; {tool_input.max_pages} are allowed by the "
                "plan.",
            )
        for source, document in zip(tool_input.sources, documents, strict=True):
            with refuse_damage(source):
                _prepare(document, tool_input)
        with refuse_damage(tool_input.sources[0]):
            joined = JoinedPdf(documents[0])
        for source, document in zip(tool_input.sources[1:], documents[1:], strict=True):
            with refuse_damage(source):
                joined.add(document)
        joined.finish()
        file = RenderedFile("pdf", save(documents[0]), PDF_TYPE, page_count)
    return ToolOutput((file,))


def _prepare(document: Pdf, tool_input: ToolInput[MergeOptions]) -> None:
    warn_of_signatures(document, tool_input)
    remove_xfa(document, tool_input)
    if tool_input.test:
        mark_pages(document)
