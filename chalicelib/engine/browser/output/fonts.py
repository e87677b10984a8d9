"""Report of the fonts that a page requested and of those its text is drawn with.

A script reads the requested families and the loaded web fonts. Substitutes follow from the families
file beside the fonts, which mirrors fontconfig. The DevTools domains DOM and CSS could report the
used fonts too, at the cost of a fifth more work for every document.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypedDict

from chalicelib.engine.browser.chromium.protocol import FunctionResult

_MAX_FONTS: Final = 50
# Expression for a script that defines `own`, a reader of document members through the prototype.
# Returns the families of loaded web fonts, and the requested family lists, each with the scripts
# (writing systems) of its text. Only the first 300 texts of the page are read.
REQUESTED_FONTS: Final = """(() => {
  const root = own('documentElement');
  if (!root) { return null; }
  const faces = [...own('fonts')].filter((face) => face.status === 'loaded')
    .slice(0, 200).map((face) => face.family.slice(0, 500));
  const skipped = new Set(['SCRIPT', 'STYLE', 'TITLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA']);
  const patterns = ['Arabic', 'Hebrew', 'Thai', 'Devanagari', 'Hangul', 'Hiragana', 'Katakana',
    'Han'].map((name) => [name, new RegExp(`\\\\p{Script=${name}}`, 'u')]);
  const latin = /[\\u0021-\\u024f]/;
  const other = /[^\\u0000-\\u052f]/;
  const requested = new Map();
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 300 && walker.nextNode();) {
    const text = walker.currentNode.data, element = walker.currentNode.parentElement;
    if (!element || skipped.has(element.tagName) || !/\\S/.test(text)) { continue; }
    seen++;
    const families = getComputedStyle(element).fontFamily.slice(0, 500);
    if (!requested.has(families)) { requested.set(families, new Set()); }
    const scripts = requested.get(families);
    if (latin.test(text)) { scripts.add('Latin'); }
    if (!other.test(text)) { continue; }
    for (const [name, letters] of patterns) { if (letters.test(text)) { scripts.add(name); } }
  }
  const lang = ['zh', 'ko'].find((l) => Element.prototype.matches.call(root, `:lang(${l})`)) ?? '';
  const asked = [...requested].map(([families, scripts]) => [families, [...scripts]]);
  return {faces, lang, asked};
})()"""
# The browser's fallback font for a script that no requested family supports.
_FALLBACK_FONTS: Final = {
    "Arabic": "Noto Sans Arabic",
    "Hebrew": "Tinos",
    "Thai": "Noto Sans Thai",
    "Devanagari": "Noto Sans",
    "Hangul": "Noto Sans KR",
    "Hiragana": "Noto Sans JP",
    "Katakana": "Noto Sans JP",
    "Han": "Noto Sans JP",
}
# The glyphs of these scripts depend on the page's language.
_HAN_SCRIPTS: Final = frozenset({"Han", "Hiragana", "Katakana"})
_LANGUAGE_FONTS: Final = {"zh": "Noto Sans SC", "ko": "Noto Sans KR"}
# Other families with these scripts; every family has Latin letters.
_FONTS_WITH_SCRIPT: Final = {
    "Hebrew": {"Arimo", "Tinos", "Cousine", "Noto Sans Hebrew"},
    "Devanagari": {"Noto Sans", "Noto Sans Devanagari"},
    "Han": {"Noto Sans JP", "Noto Sans SC", "Noto Sans KR"},
    "Hiragana": {"Noto Sans JP", "Noto Sans SC", "Noto Sans KR"},
    "Katakana": {"Noto Sans JP", "Noto Sans SC", "Noto Sans KR"},
}
_LATIN: Final = "Latin"
# The browser's font when no requested family is installed.
_DEFAULT_FAMILY: Final = "Times New Roman"
_FAMILY_NAME: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^,"']+))\s*(?:,|$)""")


class RequestedFonts(TypedDict):
    """Result of REQUESTED_FONTS; `asked` has a family list and the scripts of its text."""

    faces: list[str]
    lang: str
    asked: list[tuple[str, list[str]]]


class InstalledFonts(NamedTuple):
    """Font that each family is drawn with, by the family's name in lower case."""

    families: Mapping[str, str]

    @classmethod
    @cache
    def read(cls, families: Path) -> "InstalledFonts":
        """Read the families file that the build of layers/fonts writes."""
        return cls(json.loads(families.read_bytes()))

    def font_for(self, family: str) -> str | None:
        """Return the font that a family is drawn with, or None without a substitute."""
        return self.families.get(family.lower())


def used_fonts(
    answer: FunctionResult[RequestedFonts | None], installed: InstalledFonts
) -> list[dict[str, str]]:
    """Return pairs of requested and used font, at most 50, sorted.

    `requested` is the first family of a list. `answer` is the result of REQUESTED_FONTS. For a web
    font only Latin text is reported: its other scripts are unknown.
    """
    requested = answer.get("result", {}).get("value")
    if requested is None:
        return []
    faces = {_family_names(face)[0] for face in requested["faces"] if _family_names(face)}
    pairs = {
        (families[0], used)
        for text, scripts in requested["asked"]
        if (families := _family_names(text))
        for script in scripts
        if (used := _used_font(families, script, faces, installed, requested["lang"])) is not None
    }
    return [{"requested": family, "used": used} for family, used in sorted(pairs)[:_MAX_FONTS]]


def _used_font(
    families: Sequence[str], script: str, faces: set[str], installed: InstalledFonts, lang: str
) -> str | None:
    for family in (*families, _DEFAULT_FAMILY):
        if family in faces:
            return family if script == _LATIN else None
        name = installed.font_for(family)
        if name is not None and (
            script == _LATIN
            or name == _FALLBACK_FONTS[script]
            or name in _FONTS_WITH_SCRIPT.get(script, ())
        ):
            return name
    localized = _LANGUAGE_FONTS.get(lang) if script in _HAN_SCRIPTS else None
    return localized or _FALLBACK_FONTS[script]


def _family_names(text: str) -> list[str]:
    """Return the family names of a CSS font-family list."""
    return [next(filter(None, match.groups()), "").strip() for match in _FAMILY_NAME.finditer(text)]
