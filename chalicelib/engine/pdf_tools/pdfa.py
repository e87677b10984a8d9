"""Tool `pdfa`: a document that conforms to PDF/A-2 or -3 (ISO 19005)."""

import pikepdf

from chalicelib.contract.options.pdf_tools import PdfaOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.archive.annotations import convert_annotations
from chalicelib.engine.pdf.archive.attachments import convert_attachments
from chalicelib.engine.pdf.archive.declare_colours import declare_colours
from chalicelib.engine.pdf.archive.describe_document import describe_document
from chalicelib.engine.pdf.archive.explicit_resources import make_resources_explicit
from chalicelib.engine.pdf.archive.remove_parts import complete_optional_content, remove_parts
from chalicelib.engine.pdf.document.save import save
from chalicelib.engine.pdf.document.share_objects import share_equal_objects
from chalicelib.engine.pdf.drawings.test_mark import mark_pages
from chalicelib.engine.pdf.fonts.replace_fonts import replace_missing_fonts
from chalicelib.engine.pdf.forms.signatures import warn_of_signatures
from chalicelib.engine.pdf_tools.tool import ToolCheck, ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import PDF_TYPE, open_source


def run(tool_input: ToolInput[PdfaOptions]) -> ToolOutput:
    """Change all that can be changed; the validators judge the file, and fail it for the rest.

    Raises RenderFailure `pdfa_conversion_failed` if the conversion is known to be impossible.
    """
    level = tool_input.options.level
    with open_source(tool_input.source, tool_input) as document:
        if level.endswith("a"):
            _demand_tags(document)
        warn_of_signatures(document, tool_input.warn)
        _warn_of_files(convert_attachments(document, level[0]), level, tool_input)
        remove_parts(document)
        _warn_of_annotations(
            convert_annotations(document, tool_input.fonts, tool_input.warn), tool_input
        )
        complete_optional_content(document)
        # Equal fonts get one font file.
        share_equal_objects(document)
        replace_missing_fonts(document, tool_input.fonts)
        if tool_input.test:
            mark_pages(document)
        make_resources_explicit(document)
        declare_colours(document)
        describe_document(document, level)
        content = save(document, is_archive=True)
        file = RenderedFile("pdf", content, PDF_TYPE, len(document.pages))
    return ToolOutput((file,), (ToolCheck(content, (ConformanceCheck.pdfa(level),)),))


def _demand_tags(document: pikepdf.Pdf) -> None:
    if not isinstance(document.Root.get("/StructTreeRoot"), pikepdf.Dictionary):
        raise RenderFailure(
            "pdfa_conversion_failed",
            "/level: the document has no tags, which level a needs; choose level b or u.",
        )
    marks = document.Root.get("/MarkInfo")
    if not isinstance(marks, pikepdf.Dictionary):
        document.Root.MarkInfo = pikepdf.Dictionary()
    document.Root.MarkInfo.Marked = True


def _warn_of_files(names: list[str], level: str, tool_input: ToolInput[PdfaOptions]) -> None:
    if names:
        tool_input.warn(
            "feature_unavailable",
            f"Attachments that PDF/A-{level} does not admit were left out: {', '.join(names)}.",
            "/level",
        )


def _warn_of_annotations(kinds: list[str], tool_input: ToolInput[PdfaOptions]) -> None:
    for kind in sorted(set(kinds)):
        tool_input.warn(
            "feature_unavailable",
            f"Annotations of type {kind} were left out: PDF/A does not admit them.",
            "/level",
        )
