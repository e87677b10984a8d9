"""Bundled fonts in place of fonts that a document does not embed; its widths and layout stay."""

import hashlib
from collections.abc import Iterator, Mapping
from typing import Final

import pikepdf

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.pdf.document.stream_content import lossless_content
from chalicelib.engine.pdf.document.walk_objects import walk_dictionaries
from chalicelib.engine.pdf.fonts.coded_subset import SubsetGlyph, coded_subset
from chalicelib.engine.pdf.fonts.font_characters import (
    read_to_unicode,
    repair_to_unicode,
    simple_characters,
    write_to_unicode,
)
from chalicelib.engine.pdf.fonts.substitute_fonts import SubstituteFont, choose_font, typeface_name
from chalicelib.engine.pdf.fonts.true_type import TrueTypeFont

_SIMPLE_TYPES: Final = ("/Type1", "/TrueType", "/MMType1")
_FONT_FILES: Final = ("/FontFile", "/FontFile2", "/FontFile3")
_SYMBOLIC: Final = 4
_STEM: Final = 80
_IDENTITY: Final = ("/Identity-H", "/Identity-V")
_CODES: Final = 256
# Zero width space.
_BLANK: Final = "\u200b"
_DEFAULT_WIDTH: Final = 1000
_MAX_CID: Final = 0xFFFF
_MAX_NAME: Final = 100


def replace_missing_fonts(document: pikepdf.Pdf, fonts: Mapping[str, bytes]) -> None:
    """Embed a bundled font for each font that is not embedded.

    Raises RenderFailure `pdfa_conversion_failed` for a font that no bundled one can replace.
    """
    for font in [*walk_dictionaries(document)]:
        if font.get("/Subtype") in _SIMPLE_TYPES and "/BaseFont" in font:
            if not _is_embedded(font):
                _replace_simple(document, font, fonts)
        elif font.get("/Subtype") == "/Type0" and "/DescendantFonts" in font:
            descendant = font.DescendantFonts[0]
            if not _is_embedded(descendant):
                _replace_composite(document, font, descendant, fonts)
        if isinstance(font.get("/ToUnicode"), pikepdf.Stream):
            given = lossless_content(font.ToUnicode) or b""
            repaired = repair_to_unicode(given)
            if repaired != given:
                font.ToUnicode = document.make_stream(repaired)


def _is_embedded(font: pikepdf.Object) -> bool:
    descriptor = _descriptor(font)
    return any(isinstance(descriptor.get(each), pikepdf.Stream) for each in _FONT_FILES)


def _descriptor(font: pikepdf.Object) -> pikepdf.Object:
    descriptor = font.get("/FontDescriptor")
    return descriptor if isinstance(descriptor, pikepdf.Dictionary) else pikepdf.Dictionary()


def _replace_simple(
    document: pikepdf.Pdf, font: pikepdf.Object, fonts: Mapping[str, bytes]
) -> None:
    name, given = typeface_name(font), dict(_simple_widths(font))
    characters = simple_characters(font, name)
    substitute = choose_font(name, _descriptor(font), characters.values(), fonts)
    if substitute is None:
        raise _no_font(name)
    # Codes without a character show nothing, which is a glyph as well.
    blanks = dict.fromkeys(set(range(_CODES)) - set(characters), _BLANK)
    shown = {
        code: (*found, text)
        for code, text in sorted((blanks | characters).items())
        if (found := _find(substitute, text)) is not None
    }
    missing = float(_descriptor(font).get("/MissingWidth", 0))
    widths = {
        code: given.get(code, missing) if given or text == _BLANK else source.advance(glyph)
        for code, (source, glyph, text) in shown.items()
    }
    glyphs = [
        SubsetGlyph(source, glyph, widths[code]) for code, (source, glyph, _) in shown.items()
    ]
    content = coded_subset(substitute.font, glyphs, {code: at for at, code in enumerate(shown, 1)})
    first, last = min(shown), max(shown)
    font.Subtype = pikepdf.Name.TrueType
    font.FirstChar, font.LastChar = first, last
    font.Widths = pikepdf.Array(
        [_number(widths.get(code, given.get(code, 0))) for code in range(first, last + 1)]
    )
    # A symbolic font has its own codes.
    if "/Encoding" in font:
        del font["/Encoding"]
    texts = {code: text for code, (_, _, text) in shown.items()}
    _embed(document, font, font, substitute, content)
    font.ToUnicode = document.make_stream(write_to_unicode(texts, 1))


def _replace_composite(
    document: pikepdf.Pdf,
    font: pikepdf.Object,
    descendant: pikepdf.Object,
    fonts: Mapping[str, bytes],
) -> None:
    name = typeface_name(font)
    texts = read_to_unicode(font)
    # The codes of other encodings lead to characters by tables that are not here.
    if str(font.get("/Encoding")) not in _IDENTITY or not texts:
        raise _no_font(name)
    substitute = choose_font(name, _descriptor(descendant), texts.values(), fonts)
    if substitute is None:
        raise _no_font(name)
    given, default = dict(_composite_widths(descendant)), descendant.get("/DW", _DEFAULT_WIDTH)
    shown = [
        (code, found)
        for code, text in sorted(texts.items())
        if (found := _find(substitute, text)) is not None
    ]
    glyphs = [SubsetGlyph(*found, float(given.get(code, default))) for code, found in shown]
    content = coded_subset(substitute.font, glyphs, {})
    map_ = bytearray(2 * (max(code for code, _ in shown) + 1))
    for number, (code, _) in enumerate(shown, 1):
        map_[2 * code : 2 * code + 2] = number.to_bytes(2)
    descendant.Subtype = pikepdf.Name.CIDFontType2
    descendant.CIDToGIDMap = document.make_stream(bytes(map_))
    descendant.CIDSystemInfo = pikepdf.Dictionary(
        Registry=pikepdf.String("Adobe"), Ordering=pikepdf.String("Identity"), Supplement=0
    )
    _embed(document, descendant, font, substitute, content)


def _find(substitute: SubstituteFont, text: str) -> tuple[TrueTypeFont, int] | None:
    return substitute.find(" " if text == _BLANK else text[0])


def _embed(
    document: pikepdf.Pdf,
    holder: pikepdf.Object,
    font: pikepdf.Object,
    substitute: SubstituteFont,
    content: bytes,
) -> None:
    """Let a font, whose descriptor `holder` has, be the subset."""
    digest = hashlib.sha256(content).digest()
    prefix = "".join(chr(ord("A") + each % 26) for each in digest[:6])
    name = pikepdf.Name(f"/{prefix}+{substitute.name.replace('_', '-')}")
    face = substitute.font
    left, bottom, right, top, ascent, descent = (
        round(each * 1000 / face.units_per_em) for each in (*face.box, face.ascent, face.descent)
    )
    holder.FontDescriptor = document.make_indirect(
        pikepdf.Dictionary(
            Type=pikepdf.Name.FontDescriptor,
            FontName=name,
            Flags=_SYMBOLIC,
            FontBBox=pikepdf.Array([left, bottom, right, top]),
            ItalicAngle=-12 if substitute.name.endswith("Italic") else 0,
            Ascent=ascent,
            Descent=descent,
            CapHeight=ascent,
            StemV=_STEM,
            FontFile2=document.make_stream(content, Length1=len(content)),
        )
    )
    font.BaseFont = holder.BaseFont = name


def _simple_widths(font: pikepdf.Object) -> Iterator[tuple[int, float]]:
    first, widths = font.get("/FirstChar", 0), font.get("/Widths")
    if isinstance(widths, pikepdf.Array):
        for code, width in enumerate(widths, int(first)):
            yield code, float(width)


def _composite_widths(descendant: pikepdf.Object) -> Iterator[tuple[int, float]]:
    """Yield the entries of an array W (ISO 32000-1, 9.7.4.3)."""
    entries = iter(descendant.get("/W", ()))
    for first in entries:
        second = next(entries)
        if isinstance(second, pikepdf.Array):
            yield from ((int(first) + at, float(width)) for at, width in enumerate(second))
        else:
            width = float(next(entries))
            yield from (
                (code, width) for code in range(max(int(first), 0), min(int(second), _MAX_CID) + 1)
            )


def _number(width: float) -> int | float:
    return int(width) if width == int(width) else round(width, 3)


def _no_font(name: str) -> RenderFailure:
    return RenderFailure(
        "pdfa_conversion_failed",
        f"/source: the font {name[:_MAX_NAME] or 'without a name'} is not embedded, and no font "
        "here stands for it; embed it in the source.",
    )
