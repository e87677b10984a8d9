"""Tool `compress`: the document in fewer bytes, without any loss."""

import pikepdf

from chalicelib.contract.options.pdf_tools import CompressOptions
from chalicelib.engine.job import RenderedFile
from chalicelib.engine.pdf_tools.document.open_source import open_source
from chalicelib.engine.pdf_tools.document.share_objects import share_equal_objects
from chalicelib.engine.pdf_tools.document.smaller_streams import make_streams_smaller
from chalicelib.engine.pdf_tools.document.walk_objects import walk_dictionaries
from chalicelib.engine.pdf_tools.document.write_pdf import PDF_TYPE, pdf_file, warn_of_signatures
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput


def run(tool_input: ToolInput[CompressOptions]) -> ToolOutput:
    """Write the document anew; a source that does not become smaller stays as it is."""
    source = tool_input.source.content
    with open_source(tool_input.source, tool_input) as document:
        _remove_private_data(document)
        make_streams_smaller(document)
        share_equal_objects(document)
        may_stay = not tool_input.test and not document.is_encrypted
        file = pdf_file(document, tool_input)
        if may_stay and len(file.content) >= len(source):
            return ToolOutput((RenderedFile("pdf", source, PDF_TYPE, file.pages),))
        warn_of_signatures(document, tool_input)
    return ToolOutput((file,))


def _remove_private_data(document: pikepdf.Pdf) -> None:
    """Remove what no reader shows (ISO 32000-1, 14.5), and small pictures that readers draw anew.

    `/LastModified` is there for private data only.
    """
    for holder in walk_dictionaries(document):
        if "/PieceInfo" in holder:
            del holder["/PieceInfo"]
            if "/LastModified" in holder:
                del holder["/LastModified"]
        if "/Thumb" in holder and holder.get("/Type") == "/Page":
            del holder["/Thumb"]
