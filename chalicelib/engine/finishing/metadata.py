"""What the document says of itself, twice as readers expect it: as Info and as XMP."""

from typing import TYPE_CHECKING, Final

from chalicelib.core.text import NOT_IN_XML
from chalicelib.engine.finishing.dates import moment_of
from chalicelib.engine.finishing.finisher import Finisher
from chalicelib.engine.finishing.pdfa import conforms
from chalicelib.engine.options.pdf import Metadata

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing


def _describe(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    metadata = finishing.output.pdf.metadata
    _write_info(document, metadata)
    _write_xmp(document, metadata)
    if metadata.title is not None:
        _show_title(document)
    if metadata.language is not None:
        _set_language(document, metadata.language)


def _write_info(document: "pikepdf.Pdf", metadata: Metadata) -> None:
    keywords = None if metadata.keywords is None else ", ".join(metadata.keywords)
    entries = {
        "/Title": metadata.title,
        "/Author": metadata.author,
        "/Subject": metadata.subject,
        "/Keywords": keywords,
    }
    for name, value in entries.items():
        if value is not None:
            document.docinfo[name] = _plain(value)


def _write_xmp(document: "pikepdf.Pdf", metadata: Metadata) -> None:
    # Of a document without a title, the browser's is an address, of which blanks are left.
    info = {name: _plain(str(value)).strip() for name, value in document.docinfo.items()}
    author, moment = info.get("/Author"), f"{moment_of(metadata):%Y-%m-%dT%H:%M:%SZ}"
    entries = {
        "dc:format": "application/pdf",
        "dc:title": info.get("/Title"),
        "dc:creator": [author] if author else None,
        "dc:description": info.get("/Subject"),
        "dc:subject": [_plain(keyword) for keyword in metadata.keywords or ()],
        "dc:language": [metadata.language] if metadata.language else None,
        "pdf:Keywords": info.get("/Keywords"),
        "pdf:Producer": info.get("/Producer"),
        "xmp:CreatorTool": info.get("/Creator"),
        "xmp:CreateDate": moment,
        "xmp:ModifyDate": moment,
    }
    with document.open_metadata(set_pikepdf_as_editor=False, update_docinfo=False) as packet:
        for name, value in entries.items():
            if value:
                packet[name] = value


def _show_title(document: "pikepdf.Pdf") -> None:
    import pikepdf  # noqa: PLC0415 -- only a document that is opened needs it

    preferences = document.Root.get("/ViewerPreferences", pikepdf.Dictionary())
    preferences.DisplayDocTitle = True
    document.Root.ViewerPreferences = preferences


def _set_language(document: "pikepdf.Pdf", language: str) -> None:
    document.Root.Lang = language
    tree = document.Root.get("/StructTreeRoot")
    # The browser gives the document's first element a language of its own, which would win.
    if tree is not None and "/Lang" in tree.get("/K", {}):
        tree.K.Lang = language


def _plain(text: str) -> str:
    return NOT_IN_XML.sub("", text)


def _applies(finishing: "Finishing") -> bool:
    return finishing.output.pdf.metadata != Metadata() or conforms(finishing)


METADATA: Final = Finisher(_applies, _describe)
