"""Output intent of a document, and profiles of its device colours (ISO 19005-2, 6.2.3, 6.2.4)."""

import re
from typing import Final

import pikepdf

from chalicelib.engine.pdf.archive.cmyk_profile import cmyk_profile
from chalicelib.engine.pdf.archive.identification import add_output_intent, srgb_profile
from chalicelib.engine.pdf.document.stream_content import lossless_content
from chalicelib.engine.pdf.document.walk_objects import walk_dictionaries

_CMYK: Final = "/DeviceCMYK"
# The operators that choose a colour of four inks, and the names of their colour space.
_CMYK_OPERATORS: Final = re.compile(rb"[\d.]\s+[kK][\s\]]|/DeviceCMYK|/CMYK\b")
_CMYK_COMPONENTS: Final = 4
# Place of the class in a profile, and the classes that 6.2.3 admits: printers and screens.
_CLASS: Final = slice(12, 16)
_INTENT_CLASSES: Final = (b"prtr", b"mntr")
_INTENTS: Final = ("/GTS_PDFA1", "/GTS_PDFX")


def declare_colours(document: pikepdf.Pdf) -> None:
    """Declare sRGB, or the document's own profile of inks, and profiles of the other colours."""
    profile = _profile_of_inks(document)
    if profile is not None:
        _set_intent(document, profile)
        _set_default(document, "/DefaultRGB", srgb_profile(), 3)
        return
    add_output_intent(document)
    if _has_cmyk(document):
        _set_default(document, "/DefaultCMYK", cmyk_profile(), _CMYK_COMPONENTS)


def _profile_of_inks(document: pikepdf.Pdf) -> pikepdf.Object | None:
    """Return the CMYK profile of an output intent of the document, or None."""
    for intent in document.Root.get("/OutputIntents", ()):
        profile = intent.get("/DestOutputProfile")
        if (
            str(intent.get("/S")) in _INTENTS
            and isinstance(profile, pikepdf.Stream)
            and profile.get("/N") == _CMYK_COMPONENTS
            and profile.read_bytes()[_CLASS] in _INTENT_CLASSES
        ):
            return profile
    return None


def _set_intent(document: pikepdf.Pdf, profile: pikepdf.Object) -> None:
    intent = next(
        each for each in document.Root.OutputIntents if each.get("/DestOutputProfile") == profile
    )
    intent.S = pikepdf.Name.GTS_PDFA1
    if "/OutputConditionIdentifier" not in intent:
        intent.OutputConditionIdentifier = pikepdf.String("Custom")
    document.Root.OutputIntents = pikepdf.Array([intent])


def _has_cmyk(document: pikepdf.Pdf) -> bool:
    for holder in walk_dictionaries(document):
        if any(_names_cmyk(holder.get(key)) for key in ("/ColorSpace", "/CS")):
            return True
        if _is_content(holder) and _CMYK_OPERATORS.search(lossless_content(holder) or b""):
            return True
    return any(_CMYK_OPERATORS.search(_page_content(page)) for page in document.pages)


def _names_cmyk(space: object) -> bool:
    """Tell whether a colour space, or the resources of some, are or are based on device CMYK."""
    if isinstance(space, pikepdf.Object) and not isinstance(space, pikepdf.Stream):
        return _CMYK.encode() in space.unparse(resolved=True)
    return False


def _is_content(stream: pikepdf.Object) -> bool:
    return isinstance(stream, pikepdf.Stream) and (
        stream.get("/Subtype") == "/Form" or stream.get("/PatternType") == 1
    )


def _page_content(page: pikepdf.Page) -> bytes:
    contents = page.obj.get("/Contents")
    streams = list(contents) if isinstance(contents, pikepdf.Array) else [contents]
    return b"\n".join(
        lossless_content(each) or b"" for each in streams if isinstance(each, pikepdf.Stream)
    )


def _set_default(document: pikepdf.Pdf, name: str, content: bytes, components: int) -> None:
    """Set a default colour space in all resources."""
    profile = document.make_stream(content, N=components)
    space = document.make_indirect(pikepdf.Array([pikepdf.Name.ICCBased, profile]))
    for holder in walk_dictionaries(document):
        resources = holder.get("/Resources")
        if isinstance(resources, pikepdf.Dictionary):
            if not isinstance(resources.get("/ColorSpace"), pikepdf.Dictionary):
                resources.ColorSpace = pikepdf.Dictionary()
            if name not in resources.ColorSpace:
                resources.ColorSpace[name] = space
