"""Choice of a bundled font in place of a font that a document does not embed."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple

import pikepdf

from chalicelib.engine.pdf.fonts.true_type import TrueTypeFont

_SUBSET_PREFIX: Final = re.compile(r"^[A-Z]{6}\+")
_NO_LETTER: Final = re.compile(r"[^a-z]")
_BOLD: Final = re.compile(r"bold|black|heavy|demi")
_ITALIC: Final = re.compile(r"italic|oblique|slanted")
_SERIF: Final = re.compile(
    r"times|serif|roman|georgia|garamond|palatino|cambria|bookman|century|minion|baskerville|"
    r"caslon|didot|constantia|charter|utopia|nimbusrom|tinos|song|ming|mincho|batang|book"
)
_MONOSPACED: Final = re.compile(r"courier|consol|mono|typewriter|menlo|monaco|cousine|fixed")
_SANS: Final = re.compile(r"sans|helvetica|arial|verdana|tahoma|calibri|segoe|arimo|gothic")
# Flags of a font descriptor (ISO 32000-1, table 123).
_FIXED_PITCH: Final = 1
_SERIF_FLAG: Final = 1 << 1
_ITALIC_FLAG: Final = 1 << 6
_FORCE_BOLD: Final = 1 << 18
_BOLD_WEIGHT: Final = 600
# Tried after the font of the family, in this order, where it lacks characters.
_FALLBACKS: Final = (
    *("NotoSans", "NotoSansMath", "NotoSansSymbols2", "NotoSansArabic", "NotoSansHebrew"),
    *("NotoSansDevanagari", "NotoSansThai", "NotoSansBengali", "NotoSansTamil", "NotoSansTelugu"),
    *("NotoSansGujarati", "NotoSansKannada", "NotoSansMalayalam", "NotoSansGurmukhi"),
    *("NotoSansOriya", "NotoSansSinhala", "NotoSansKhmer", "NotoSansLao", "NotoSansMyanmar"),
    *("NotoSerifTibetan", "NotoSansArmenian", "NotoSansGeorgian", "NotoSansEthiopic"),
    *("NotoSansJP", "NotoSansSC", "NotoSansTC", "NotoSansKR"),
)


class SubstituteFont(NamedTuple):
    """Font of the bundle, and the name of its file without the ending.

    `others` have characters that it lacks, in the same units.
    """

    name: str
    font: TrueTypeFont
    others: Sequence[TrueTypeFont] = ()

    def find(self, character: str) -> tuple[TrueTypeFont, int] | None:
        """Return the font that has a character, and its glyph."""
        for font in (self.font, *self.others):
            glyph = font.glyphs.get(ord(character))
            if glyph is not None:
                return font, glyph
        return None


def typeface_name(font: pikepdf.Object) -> str:
    """Return the name of a font's typeface, without the prefix of a subset."""
    return _SUBSET_PREFIX.sub("", str(font.get("/BaseFont", "")).removeprefix("/"))


def choose_font(
    name: str,
    descriptor: Mapping[str, object] | pikepdf.Object,
    characters: Collection[str],
    fonts: Mapping[str, bytes],
) -> SubstituteFont | None:
    """Return the first font of the order that has most of the characters; None without any."""
    best, best_count, tried = None, 0, []
    for each in dict.fromkeys(_names(name, descriptor)):
        content = fonts.get(f"{each}.ttf")
        if content is None:
            continue
        font = TrueTypeFont(content)
        tried.append(font)
        count = sum(ord(text[0]) in font.glyphs for text in characters)
        if count > best_count:
            best, best_count = SubstituteFont(each, font), count
        if best_count == len(characters):
            return best
    if best is None:
        return None
    units = best.font.units_per_em
    return best._replace(others=[font for font in tried if font.units_per_em == units])


def _names(name: str, descriptor: Mapping[str, object] | pikepdf.Object) -> Iterator[str]:
    letters = _NO_LETTER.sub("", name.lower())
    entries = {key: descriptor.get(key, 0) for key in ("/Flags", "/FontWeight", "/ItalicAngle")}
    numbers = {
        key: int(value) if isinstance(value, int | Decimal) else 0 for key, value in entries.items()
    }
    flags = numbers["/Flags"]
    is_bold = bool(
        _BOLD.search(letters) or flags & _FORCE_BOLD or numbers["/FontWeight"] >= _BOLD_WEIGHT
    )
    is_italic = bool(_ITALIC.search(letters) or flags & _ITALIC_FLAG or numbers["/ItalicAngle"])
    weight = "700Bold" if is_bold else "400Regular"
    yield f"{_family(letters, flags)}_{weight}{'_Italic' if is_italic else ''}"
    for family in _FALLBACKS:
        yield f"{family}_{weight}"
        yield f"{family}_400Regular"


def _family(letters: str, flags: int) -> str:
    if _MONOSPACED.search(letters):
        return "Cousine"
    if _SANS.search(letters):
        return "Arimo"
    if _SERIF.search(letters):
        return "Tinos"
    if flags & _FIXED_PITCH:
        return "Cousine"
    return "Tinos" if flags & _SERIF_FLAG else "Arimo"
