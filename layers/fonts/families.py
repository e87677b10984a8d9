"""Families of the bundle: which ones draw a script, and which ones draw other families' names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

# Fallback families for glyphs that a text's own families lack, in this order. The
# first is also `system-ui`.
FALLBACK_FAMILIES: Final = (
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Thai",
    "Noto Sans Devanagari",
    "Noto Sans Bengali",
    "Noto Sans Gurmukhi",
    "Noto Sans Gujarati",
    "Noto Sans Oriya",
    "Noto Sans Tamil",
    "Noto Sans Telugu",
    "Noto Sans Kannada",
    "Noto Sans Malayalam",
    "Noto Sans Sinhala",
    "Noto Sans Khmer",
    "Noto Sans Lao",
    "Noto Sans Myanmar",
    "Noto Serif Tibetan",
    "Noto Sans Armenian",
    "Noto Sans Georgian",
    "Noto Sans Ethiopic",
    "Noto Sans Thaana",
    "Noto Sans NKo",
    "Noto Sans Tifinagh",
    "Noto Sans Syriac",
    "Noto Sans Mongolian",
    "Noto Sans Ol Chiki",
    "Noto Sans Meetei Mayek",
    "Noto Sans Adlam",
    "Noto Sans Javanese",
    "Noto Sans Balinese",
    "Noto Sans Hanifi Rohingya",
    "Noto Sans Yi",
    "Noto Sans Symbols 2",
    "Noto Sans Math",
    "Noto Sans JP",
    "Noto Sans SC",
    "Noto Sans TC",
    "Noto Sans KR",
    "Noto Color Emoji",
)
# Families that are bundled for the names below and never chosen for a missing glyph.
TEXT_FAMILIES: Final = (
    "Arimo",
    "Tinos",
    "Cousine",
    "Noto Serif",
    "Carlito",
    "Caladea",
    "Gelasio",
    "DejaVu Sans",
    "DejaVu Sans Condensed",
    "DejaVu Sans Mono",
    "Open Sans",
    "Roboto",
    "Inter",
    "Fira Sans",
    "EB Garamond",
    "Comic Neue",
    "Inconsolata",
    "Anton",
    "Pinyon Script",
)
# Of the same widths: Arimo, Tinos, Cousine, Carlito, Caladea, Gelasio, and DejaVu Sans Mono for
# Menlo. The others are the nearest in width and form.
_NAMES: Final = {
    "Arimo": ("Arial", "Helvetica", "Helvetica Neue", "Liberation Sans", "Nimbus Sans"),
    "Tinos": ("Times", "Times New Roman", "Liberation Serif", "Nimbus Roman"),
    "Cousine": ("Courier", "Courier New", "Liberation Mono", "Nimbus Mono PS"),
    "Carlito": ("Calibri",),
    "Caladea": ("Cambria", "Palatino", "Palatino Linotype", "Book Antiqua"),
    "Gelasio": ("Georgia",),
    "DejaVu Sans": ("Verdana", "Bitstream Vera Sans", "Geneva"),
    "DejaVu Sans Condensed": ("Tahoma",),
    "DejaVu Sans Mono": ("Menlo", "Monaco", "Lucida Console", "Bitstream Vera Sans Mono"),
    "Open Sans": ("Segoe UI", "Lucida Grande", "Lucida Sans Unicode"),
    "Inter": ("-apple-system", "San Francisco", "SF Pro Text", "SF Pro Display"),
    "Fira Sans": ("Trebuchet MS", "Trebuchet"),
    "EB Garamond": ("Garamond",),
    "Comic Neue": ("Comic Sans MS", "Comic Sans", "cursive"),
    "Inconsolata": ("Consolas",),
    "Anton": ("Impact", "fantasy"),
    "Noto Sans JP": ("Yu Gothic", "Meiryo", "MS Gothic", "MS PGothic", "Hiragino Sans"),
    "Noto Sans SC": ("Microsoft YaHei", "SimSun", "SimHei", "PingFang SC"),
    "Noto Sans TC": ("Microsoft JhengHei", "PMingLiU", "MingLiU", "PingFang TC", "Noto Sans HK"),
    "Noto Sans KR": ("Malgun Gothic", "Apple SD Gothic Neo"),
    "Noto Color Emoji": ("Apple Color Emoji", "Segoe UI Emoji"),
    # The only one with the table that stretches roots, brackets and sums of MathML.
    "Noto Sans Math": ("math", "Latin Modern Math", "Cambria Math", "STIX Two Math"),
}
ALIASES: Final = {
    **{name: (family,) for family, names in _NAMES.items() for name in names},
    "sans-serif": ("Arimo", *FALLBACK_FAMILIES),
    "system-ui": ("Noto Sans", *FALLBACK_FAMILIES),
    "serif": ("Tinos", "Noto Serif", *FALLBACK_FAMILIES),
    "monospace": ("Cousine", *FALLBACK_FAMILIES),
    "emoji": ("Noto Color Emoji",),
}
# Names of CSS, which are no names of fonts.
_GENERIC_NAMES: Final = frozenset({"math", "cursive", "fantasy", "-apple-system"})
# Families whose fonts have PostScript names of their own kind: Arial-BoldMT.
_MONOTYPE_NAMES: Final = {
    "Arial": "Arial",
    "Times New Roman": "TimesNewRomanPS",
    "Courier New": "CourierNewPS",
}
_STYLE_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    "400Regular": ("", "Regular", "Roman"),
    "400Regular_Italic": ("Italic", "Oblique"),
    "700Bold": ("Bold",),
    "700Bold_Italic": ("Bold Italic", "Bold Oblique"),
}
# Languages of documents as fontconfig knows them: it has no scripts, and the font of Traditional
# Chinese lacks a few characters of its list for Taiwan.
LANGUAGES: Final = {
    **dict.fromkeys(("zh-tw", "zh-hant", "zh-hant-tw", "zh-hant-hk", "zh-hant-mo"), "zh-hk"),
    **dict.fromkeys(("zh-hans", "zh-hans-cn", "zh-hans-sg"), "zh-cn"),
}


def full_names() -> Iterator[tuple[str, str, Sequence[str]]]:
    """Yield family, style and the names of the fonts that the font of this style stands in for.

    A font has two names that `local()` asks for: Arial Bold, and Arial-BoldMT of PostScript.
    """
    for family, names in _NAMES.items():
        replaced = [name for name in names if name not in _GENERIC_NAMES]
        for style, words in _STYLE_WORDS.items():
            fonts = dict.fromkeys(
                name for each in replaced for word in words for name in _font_names(each, word)
            )
            yield family, style, list(fonts)


def _font_names(family: str, word: str) -> Iterator[str]:
    yield f"{family} {word}".rstrip()
    yield f"{family}-{word}".rstrip("-").replace(" ", "")
    if family in _MONOTYPE_NAMES:
        yield f"{_MONOTYPE_NAMES[family]}-{word}".rstrip("-").replace(" ", "") + "MT"
