"""Tool `flatten`: form fields and annotations drawn into their pages."""

from chalicelib.contract.options.pdf_tools import FlattenOptions
from chalicelib.engine.pdf.forms.draw_form import draw_form
from chalicelib.engine.pdf.forms.flatten_pages import flatten_pages
from chalicelib.engine.pdf.forms.form_fields import document_form
from chalicelib.engine.pdf.forms.signatures import warn_of_signatures
from chalicelib.engine.pdf.forms.xfa import remove_xfa
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import open_source, pdf_output


def run(tool_input: ToolInput[FlattenOptions]) -> ToolOutput:
    """Draw all annotations but links, and remove them with the form."""
    fonts, warn = tool_input.fonts, tool_input.warn
    with open_source(tool_input.source, tool_input) as document:
        warn_of_signatures(document, warn)
        if document_form(document) is not None:
            remove_xfa(document, warn)
        draw_form(document, fonts, warn)
        flatten_pages(document, fonts, warn)
        for entry in ("/AcroForm", "/Perms"):
            if entry in document.Root:
                del document.Root[entry]
        return pdf_output(document, tool_input)
