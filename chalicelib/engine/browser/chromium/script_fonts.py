"""Fonts of writing systems: families of texts that name none with their letters.

A family that the browser takes as a fallback, by the file, has its boldness made up. Named as the
standard family of a script it is found with its own bold.
"""

import re
from typing import Final

from chalicelib.core.json import Json

# The browser's font when no requested family is installed.
DEFAULT_FAMILY: Final = "Times New Roman"
EMOJI_FAMILY: Final = "Noto Color Emoji"
_SCRIPT_FAMILIES: Final = {
    "Arab": "Noto Sans Arabic",
    "Armn": "Noto Sans Armenian",
    "Beng": "Noto Sans Bengali",
    "Deva": "Noto Sans Devanagari",
    "Ethi": "Noto Sans Ethiopic",
    "Geor": "Noto Sans Georgian",
    "Gujr": "Noto Sans Gujarati",
    "Guru": "Noto Sans Gurmukhi",
    "Hang": "Noto Sans KR",
    "Hans": "Noto Sans SC",
    "Hant": "Noto Sans TC",
    "Jpan": "Noto Sans JP",
    "Khmr": "Noto Sans Khmer",
    "Knda": "Noto Sans Kannada",
    "Laoo": "Noto Sans Lao",
    "Mlym": "Noto Sans Malayalam",
    "Mymr": "Noto Sans Myanmar",
    "Orya": "Noto Sans Oriya",
    "Sinh": "Noto Sans Sinhala",
    "Taml": "Noto Sans Tamil",
    "Telu": "Noto Sans Telugu",
    "Thai": "Noto Sans Thai",
    "Tibt": "Noto Serif Tibetan",
}
FAMILIES_OF_SCRIPTS: Final[Json] = [
    {"script": script, "fontFamilies": {"standard": family}}
    for script, family in {**_SCRIPT_FAMILIES, "Kore": "Noto Sans KR"}.items()
]
# Scripts of languages as the browser knows them.
_LANGUAGES: Final = {
    language: script
    for script, languages in {
        "Arab": "ar fa ur ps ug ku",
        "Beng": "bn as",
        "Deva": "hi mr ne sa",
        "Ethi": "am ti",
        "Geor": "ka",
        "Armn": "hy",
        "Gujr": "gu",
        "Guru": "pa",
        "Hang": "ko",
        "Hans": "zh",
        "Jpan": "ja",
        "Khmr": "km",
        "Knda": "kn",
        "Laoo": "lo",
        "Mlym": "ml",
        "Mymr": "my",
        "Orya": "or",
        "Sinh": "si",
        "Taml": "ta",
        "Telu": "te",
        "Thai": "th",
        "Tibt": "bo dz",
    }.items()
    for language in languages.split()
}
_TRADITIONAL: Final = re.compile(r"zh(-hant|-(tw|hk|mo)$)")
# Characters that are pictures without a variation selector (Emoji_Presentation).
_EMOJI: Final = re.compile(
    "[\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1"
    "\u26aa\u26ab\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705"
    "\u270a\u270b\u2728\u274c\u274e\u2753-\u2755\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50"
    "\u2b55\U0001f300-\U0001f320\U0001f32d-\U0001f335\U0001f337-\U0001f37c\U0001f37e-\U0001f393"
    "\U0001f3a0-\U0001f3ca\U0001f400-\U0001f43e\U0001f440\U0001f442-\U0001f4fc\U0001f600-\U0001f64f"
    "\U0001f680-\U0001f6c5\U0001f900-\U0001f9ff\U0001fa70-\U0001faff]"
)


def script_family(lang: str) -> str | None:
    """Return the standard family of a language's script; `lang` is a tag in lower case."""
    if _TRADITIONAL.match(lang):
        return _SCRIPT_FAMILIES["Hant"]
    script = _LANGUAGES.get(lang.partition("-")[0])
    return _SCRIPT_FAMILIES[script] if script else None


def is_drawn_as_emoji(letter: str) -> bool:
    """Tell whether a character is a coloured picture unless a document says otherwise."""
    return _EMOJI.match(letter) is not None
