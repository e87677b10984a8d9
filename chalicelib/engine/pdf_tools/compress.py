"""Tool `compress`: the document in fewer bytes, without any loss."""

import pikepdf

from chalicelib.contract.options.pdf_tools import CompressOptions
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.pdf.document.open_pdf import REPAIR
from chalicelib.engine.pdf.document.share_objects import share_equal_objects
from chalicelib.engine.pdf.document.smaller_streams import (
    make_streams_smaller,
    remove_private_data,
)
from chalicelib.engine.pdf.forms.signatures import warn_of_signatures
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput
from chalicelib.engine.pdf_tools.tool_files import PDF_TYPE, open_source, pdf_file


def run(tool_input: ToolInput[CompressOptions]) -> ToolOutput:
    """Write the document anew; a sound source that does not become smaller stays as it is."""
    source = tool_input.source.content
    with open_source(tool_input.source, tool_input) as document:
        remove_private_data(document)
        make_streams_smaller(document)
        share_equal_objects(document)
        may_stay = not tool_input.test and not document.is_encrypted
        file = pdf_file(document, tool_input)
        may_stay = may_stay and not _is_mended(document, tool_input)
        if may_stay and len(file.content) >= len(source):
            return ToolOutput((RenderedFile("pdf", source, PDF_TYPE, file.pages),))
        warn_of_signatures(document, tool_input.warn)
    return ToolOutput((file,))


def _is_mended(document: pikepdf.Pdf, tool_input: ToolInput[CompressOptions]) -> bool:
    """Tell whether the source was mended, when it was opened or while its objects were read."""
    was_mended = any(warning.detail == REPAIR for warning in tool_input.warnings)
    return was_mended or bool(document.get_warnings())
