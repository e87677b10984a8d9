"""Tool `metadata`: other title, author, subject, keywords or language."""

from typing import Final

import pikepdf

from chalicelib.contract.options.pdf import DocumentInfo
from chalicelib.contract.options.pdf_tools import MetadataOptions
from chalicelib.engine.finishing.metadata import set_language, show_title, xml_safe
from chalicelib.engine.pdf_tools.document.open_source import open_source
from chalicelib.engine.pdf_tools.document.write_pdf import pdf_output
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput

# Keys of the Info dictionary, and the properties of XMP that say the same (ISO 19005-2, 6.6.3).
_XMP_OF_INFO: Final = {
    "/Title": "dc:title",
    "/Author": "dc:creator",
    "/Subject": "dc:description",
    "/Keywords": "pdf:Keywords",
}


def run(tool_input: ToolInput[MetadataOptions]) -> ToolOutput:
    """Write the metadata that are named, and keep the others."""
    with open_source(tool_input.source, tool_input) as document:
        _write_metadata(document, tool_input.options.info)
        return pdf_output(document, tool_input)


def _write_metadata(document: pikepdf.Pdf, info: DocumentInfo) -> None:
    keywords = None if info.keywords is None else [xml_safe(word) for word in info.keywords]
    values = {
        "/Title": info.title,
        "/Author": info.author,
        "/Subject": info.subject,
        "/Keywords": None if keywords is None else ", ".join(keywords),
    }
    named = {key: xml_safe(value) for key, value in values.items() if value is not None}
    for key, value in named.items():
        if value:
            document.docinfo[key] = value
        elif key in document.docinfo:
            del document.docinfo[key]
    _write_xmp(document, named, keywords, info.language)
    if info.language is not None:
        set_language(document, info.language)
    if info.title:
        show_title(document)


def _write_xmp(
    document: pikepdf.Pdf,
    info: dict[str, str],
    keywords: list[str] | None,
    language: str | None,
) -> None:
    is_new = "/Metadata" not in document.Root
    with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as xmp:
        if is_new:
            # The keys that have a meaning in XMP; others would be warnings of pikepdf.
            standard = {str(key) for _, _, key, _ in xmp.DOCINFO_MAPPING} & set(document.docinfo)
            xmp.load_from_docinfo({key: document.docinfo[key] for key in standard})
        for key, value in info.items():
            # XMP has a list of authors, of which Info has the only entry.
            _set(xmp, _XMP_OF_INFO[key], [value] if key == "/Author" and value else value)
        if keywords is not None:
            _set(xmp, "dc:subject", keywords)
        if language is not None:
            _set(xmp, "dc:language", [language] if language else [])


def _set(xmp: pikepdf.models.PdfMetadata, name: str, value: str | list[str]) -> None:
    if value:
        xmp[name] = value
    elif name in xmp:
        del xmp[name]
