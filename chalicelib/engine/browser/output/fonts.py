"""Which fonts a page asked for, and which its text was drawn with.

The page tells what its text asks for and which web fonts have come; what stands in for others is
what fontconfig is told in the fonts' own file. The browser itself would tell it only through its
DevTools domains DOM and CSS: a fifth more work for every document.
"""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

_MAX_FONTS: Final = 50
# Returns the families of the web fonts that have come, and what text asks for: lists of families,
# each with the writing systems of its text, as far as the first texts of the page tell. `own` reads
# a member of the document itself, whatever the page has given its name to.
REQUESTED_FONTS: Final = """(() => {
  const root = own('documentElement');
  if (!root) { return null; }
  const faces = [...own('fonts')].filter((face) => face.status === 'loaded')
    .slice(0, 200).map((face) => face.family.slice(0, 500));
  const silent = new Set(['SCRIPT', 'STYLE', 'TITLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA']);
  const systems = ['Arabic', 'Hebrew', 'Thai', 'Devanagari', 'Hangul', 'Hiragana', 'Katakana',
    'Han'].map((name) => [name, new RegExp(`\\\\p{Script=${name}}`, 'u')]);
  const plain = /[\\u0021-\\u024f]/;
  const foreign = /[^\\u0000-\\u052f]/;
  const asked = new Map();
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 300 && walker.nextNode();) {
    const text = walker.currentNode.data, element = walker.currentNode.parentElement;
    if (!element || silent.has(element.tagName) || !/\\S/.test(text)) { continue; }
    seen++;
    const families = getComputedStyle(element).fontFamily.slice(0, 500);
    if (!asked.has(families)) { asked.set(families, new Set()); }
    const found = asked.get(families);
    if (plain.test(text)) { found.add('Latin'); }
    if (!foreign.test(text)) { continue; }
    for (const [name, letters] of systems) { if (letters.test(text)) { found.add(name); } }
  }
  const lang = ['zh', 'ko'].find((l) => Element.prototype.matches.call(root, `:lang(${l})`)) ?? '';
  return {faces, lang, asked: [...asked].map(([families, found]) => [families, [...found]])};
})()"""
# What the browser takes for a writing system where no family that the text asks for has it.
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
# These three are drawn as the page's language has them.
_HAN_SCRIPTS: Final = frozenset({"Han", "Hiragana", "Katakana"})
_LANGUAGE_FONTS: Final = {"zh": "Noto Sans SC", "ko": "Noto Sans KR"}
# Which others have letters beside the Latin ones; every family has those.
_FONTS_WITH_SCRIPT: Final = {
    "Hebrew": {"Arimo", "Tinos", "Cousine", "Noto Sans Hebrew"},
    "Devanagari": {"Noto Sans", "Noto Sans Devanagari"},
    "Han": {"Noto Sans JP", "Noto Sans SC", "Noto Sans KR"},
    "Hiragana": {"Noto Sans JP", "Noto Sans SC", "Noto Sans KR"},
    "Katakana": {"Noto Sans JP", "Noto Sans SC", "Noto Sans KR"},
}
_LATIN: Final = "Latin"
# What the browser draws with where a text asks for nothing that is there.
_DEFAULT_FAMILY: Final = "Times New Roman"
_FAMILY_NAME: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^,"']+))\s*(?:,|$)""")


class InstalledFonts(NamedTuple):
    """What each family is drawn with, by its name in lower case."""

    families: Mapping[str, str]

    @classmethod
    @cache
    def read(cls, families: Path) -> "InstalledFonts":
        """Read the file that layers/fonts has written beside the fonts."""
        return cls(json.loads(families.read_bytes()))

    def font_for(self, family: str) -> str | None:
        """Return what a family is drawn with, or None where nothing stands for it."""
        return self.families.get(family.lower())


def used_fonts(answer: Mapping[str, Any], installed: InstalledFonts) -> list[dict[str, str]]:
    """Return what text asked for, the first family of each list, and what it was drawn with.

    `told` is the browser's answer to ASKED_FONTS. Text in a web font is told where it is Latin:
    what else a web font has is not known.
    """
    value = answer.get("result", {}).get("value") or {}
    faces = {_family_names(face)[0] for face in value.get("faces", []) if _family_names(face)}
    pairs = {
        (families[0], used)
        for text, systems in value.get("asked", [])
        if (families := _family_names(text))
        for system in systems
        if (used := _used_font(families, system, faces, installed, value.get("lang", "")))
        is not None
    }
    return [{"requested": asked, "used": used} for asked, used in sorted(pairs)[:_MAX_FONTS]]


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
    own = _LANGUAGE_FONTS.get(lang) if script in _HAN_SCRIPTS else None
    return own or _FALLBACK_FONTS[script]


def _family_names(text: str) -> list[str]:
    """Return the names of a list as CSS writes it."""
    return [next(filter(None, found.groups()), "").strip() for found in _FAMILY_NAME.finditer(text)]
