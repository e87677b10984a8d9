"""Tool `attach`: files embedded in a document."""

from typing import Final

from chalicelib.contract.options.pdf import PdfMetadata
from chalicelib.contract.options.pdf_tools import AttachOptions
from chalicelib.engine.pdf.document.attachments import embed_files
from chalicelib.engine.pdf.document.claims import claimed_profiles
from chalicelib.engine.pdf.document.metadata import document_date, pdf_date
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output

# Profiles of PDF/A that admit no embedded file, or only files that are PDF/A themselves.
_CLOSED_PROFILES: Final = ("1a", "1b", "2a", "2b", "2u", "4")


def run(tool_input: ToolInput[AttachOptions]) -> ToolOutput:
    """Embed the files as associated files of the document."""
    attachments = tool_input.options.attachments
    contents = [tool_input.resources[f"/attachments/{n}"] for n in range(len(attachments))]
    with open_source(tool_input.source, tool_input) as document:
        pdfa, _ = claimed_profiles(document)
        if pdfa in _CLOSED_PROFILES:
            tool_input.warn(
                "feature_unavailable",
                f"The document claims PDF/A-{pdfa}, which forbids embedded files of any type; "
                "the file may not conform to it. PDF/A-3 allows them.",
                "attachments",
            )
        embed_files(document, attachments, contents, pdf_date(document_date(PdfMetadata())))
        return pdf_output(document, tool_input)
