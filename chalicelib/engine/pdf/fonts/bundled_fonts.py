"""Bundled fonts in a document: the glyphs of drawn texts, embedded, with their Unicode text."""

import re
from collections.abc import Mapping
from itertools import groupby
from typing import Final, NamedTuple

import pikepdf
from pikepdf import Array, Dictionary, Name

from chalicelib.engine.pdf.fonts.right_to_left import plain_text
from chalicelib.engine.pdf.fonts.true_type import TrueTypeFont

# Fonts for characters that a text's own font lacks, in this order.
_FALLBACKS: Final = (
    *("NotoSans", "NotoSansArabic", "NotoSansHebrew", "NotoSansThai", "NotoSansDevanagari"),
    *("NotoSansArmenian", "NotoSansGeorgian", "NotoSansEthiopic", "NotoSansLao"),
    *("NotoSansSymbols2", "NotoSansMath", "NotoSansJP", "NotoSansSC", "NotoSansTC"),
    *("NotoSansKR", "NotoSansBengali", "NotoSansGurmukhi", "NotoSansGujarati", "NotoSansOriya"),
    *("NotoSansTamil", "NotoSansTelugu", "NotoSansKannada", "NotoSansMalayalam"),
    *("NotoSansSinhala", "NotoSansMyanmar", "NotoSansKhmer", "NotoSerifTibetan"),
    *("NotoSansMongolian", "NotoSansYi", "NotoSansSyriac", "NotoSansThaana", "NotoSansNKo"),
    *("NotoSansTifinagh", "NotoSansAdlam", "NotoSansHanifiRohingya", "NotoSansOlChiki"),
    *("NotoSansMeeteiMayek", "NotoSansBalinese", "NotoSansJavanese", "DejaVuSans"),
)
# Drawn in place of a character that no font has: PDF/A forbids the glyph that fonts have for it.
_BOX, _QUESTION_MARK = ord("\u25a1"), ord("?")
# They choose among the forms of the character before, and are not drawn themselves.
_SELECTORS: Final = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")
_MAX_NAMED: Final = 20
_SYMBOLIC: Final = 4
_MAX_CMAP_ENTRIES: Final = 100


class FontStyle(NamedTuple):
    """Family of a bundled font, and its style."""

    family: str = "Arimo"
    bold: bool = False
    italic: bool = False

    @property
    def filename(self) -> str:
        """Return the name of the font's file."""
        weight = "700Bold" if self.bold else "400Regular"
        return f"{self.family}_{weight}{'_Italic' if self.italic else ''}.ttf"


class GlyphRun(NamedTuple):
    """Glyphs of one font, as hexadecimal digits, and the name of the font among resources."""

    name: str
    font: pikepdf.Object
    glyphs: str


class _EmbeddedFont:
    """Font of the document, whose glyphs are numbered as they are used."""

    def __init__(self, document: pikepdf.Pdf, name: str, content: bytes) -> None:
        self.name, self._document = name, document
        self.face = TrueTypeFont(content)
        self.object = document.make_indirect(Dictionary(Type=Name.Font))
        # Glyphs with their texts, in the order of their numbers.
        self._used: dict[tuple[int, str], int] = {(0, ""): 0}

    def glyph(self, character: str) -> int:
        """Return the glyph of a character, or that of a box."""
        glyphs = self.face.glyphs
        return glyphs.get(ord(character)) or glyphs.get(_BOX) or glyphs.get(_QUESTION_MARK, 0)

    def run(self, text: str) -> GlyphRun:
        """Return a text, and note its glyphs as used."""
        numbers = (
            self._used.setdefault((self.glyph(each), plain_text(each)), len(self._used))
            for each in text
        )
        return GlyphRun(self.name, self.object, "".join(f"{number:04X}" for number in numbers))

    def embed(self) -> None:
        """Write the font with the glyphs that were used."""
        document, face = self._document, self.face
        program = face.subset([glyph for glyph, _ in self._used])
        base_font = Name("/PLATEN+" + self.name[1:])
        scale = 1000 / face.units_per_em
        descriptor = Dictionary(
            Type=Name.FontDescriptor,
            FontName=base_font,
            Flags=_SYMBOLIC,
            FontBBox=Array([round(edge * scale) for edge in face.box]),
            ItalicAngle=0,
            Ascent=round(face.ascent * scale),
            Descent=round(face.descent * scale),
            CapHeight=round(face.ascent * scale),
            StemV=80,
            FontFile2=document.make_stream(program, Length1=len(program)),
        )
        widths = [round(face.advance(glyph)) for glyph, _ in self._used]
        descendant = Dictionary(
            Type=Name.Font,
            Subtype=Name.CIDFontType2,
            BaseFont=base_font,
            CIDSystemInfo=Dictionary(Registry="Adobe", Ordering="Identity", Supplement=0),
            FontDescriptor=document.make_indirect(descriptor),
            W=Array([0, Array(widths)]),
            CIDToGIDMap=Name.Identity,
        )
        font = self.object
        font.Subtype, font.BaseFont, font.Encoding = Name.Type0, base_font, Name("/Identity-H")
        font.DescendantFonts = Array([document.make_indirect(descendant)])
        font.ToUnicode = document.make_stream(_to_unicode([text for _, text in self._used]))


class BundledFonts:
    """Bundled fonts that a document uses; `embed` writes them when all texts are drawn."""

    def __init__(self, document: pikepdf.Pdf, files: Mapping[str, bytes]) -> None:
        """Take the font files by their names."""
        self._document, self._files = document, files
        self._fonts: dict[str, _EmbeddedFont] = {}
        self._found: dict[tuple[str, FontStyle], tuple[_EmbeddedFont, float]] = {}
        self._missing: dict[str, None] = {}

    @property
    def missing(self) -> str | None:
        """Return a message that names the characters that no font has, or None."""
        if not self._missing:
            return None
        named = [f"U+{ord(each):04X}" for each in list(self._missing)[:_MAX_NAMED]]
        more = len(self._missing) - len(named)
        rest = f" and {more} more" if more > 0 else ""
        return f"No bundled font has {', '.join(named)}{rest}, so boxes are drawn"

    def runs(self, text: str, style: FontStyle) -> list[GlyphRun]:
        """Return a text of one line as runs; a character that no font has shows a box."""
        text = _SELECTORS.sub("", text)
        fonts = ((self._find(character, style)[0], character) for character in text)
        return [
            font.run("".join(character for _, character in group))
            for font, group in groupby(fonts, key=lambda pair: pair[0])
        ]

    def width(self, text: str, style: FontStyle) -> float:
        """Return the width of a text as a share of the font size."""
        shown = _SELECTORS.sub("", text)
        return sum(self._find(character, style)[1] for character in shown)

    def line_extent(self, style: FontStyle) -> tuple[float, float]:
        """Return ascent and descent (positive) of a style, as shares of the font size."""
        face = self._font(style.filename).face
        return face.ascent / face.units_per_em, -face.descent / face.units_per_em

    def embed(self) -> None:
        """Write the fonts that were used."""
        for font in self._fonts.values():
            font.embed()

    def _find(self, character: str, style: FontStyle) -> tuple[_EmbeddedFont, float]:
        """Return the font that has a character, and its width there."""
        key = character, style
        if key not in self._found:
            font = self._font_of(character, style)
            self._found[key] = font, font.face.advance(font.glyph(character)) / 1000
        return self._found[key]

    def _font_of(self, character: str, style: FontStyle) -> _EmbeddedFont:
        names = (style.filename, *(FontStyle(family).filename for family in _FALLBACKS))
        for name in names:
            if name in self._files and ord(character) in self._font(name).face.glyphs:
                return self._font(name)
        self._missing[character] = None
        return self._font(style.filename)

    def _font(self, filename: str) -> _EmbeddedFont:
        if filename not in self._fonts:
            name = "/" + filename.removesuffix(".ttf").replace("_", "-")
            self._fonts[filename] = _EmbeddedFont(self._document, name, self._files[filename])
        return self._fonts[filename]


def _to_unicode(texts: list[str]) -> bytes:
    entries = [
        f"<{number:04X}> <{text.encode('utf-16-be').hex().upper()}>"
        for number, text in enumerate(texts)
        if text
    ]
    blocks = [
        entries[start : start + _MAX_CMAP_ENTRIES]
        for start in range(0, len(entries), _MAX_CMAP_ENTRIES)
    ]
    lines = "\n".join(
        f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks
    )
    return (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap\n"
        "/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def\n"
        "/CMapName /Adobe-Identity-UCS def /CMapType 2 def\n"
        "1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        f"{lines}\nendcmap CMapName currentdict /CMap defineresource pop end end\n"
    ).encode()
