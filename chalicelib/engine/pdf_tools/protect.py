"""Tool `protect`: a document with passwords and permissions."""

from chalicelib.contract.options.pdf_tools import ProtectOptions
from chalicelib.engine.pdf.document.claims import claimed_profiles
from chalicelib.engine.pdf.document.protection import pdf_encryption
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output


def run(tool_input: ToolInput[ProtectOptions]) -> ToolOutput:
    """Encrypt the document; its earlier protection goes."""
    with open_source(tool_input.source, tool_input) as document:
        pdfa, _ = claimed_profiles(document)
        if pdfa is not None:
            tool_input.warn(
                "feature_unavailable",
                f"The document claims PDF/A-{pdfa}, which forbids encryption; the file does not "
                "conform to it.",
                "protection",
            )
        return pdf_output(document, tool_input, pdf_encryption(tool_input.options))
