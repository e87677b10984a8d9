"""Report of fonts: those that a page requested, those that draw its text, and missing glyphs.

A script reads the requested families, the characters of their texts and the loaded web fonts. The
font of a character follows from the files beside the fonts, which mirror fontconfig. The DevTools
domains DOM and CSS could report the used fonts too, at the cost of a fifth more work for every
document.
"""

import json
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from chalicelib.engine.browser.chromium.protocol import FunctionResult
from chalicelib.engine.browser.chromium.script_fonts import (
    DEFAULT_FAMILY,
    EMOJI_FAMILY,
    is_drawn_as_emoji,
    script_family,
)
from chalicelib.engine.browser.tab.tab import RequestedFonts
from chalicelib.engine.context import RenderWarning

_MAX_FONTS: Final = 50
MAX_LATE_FONTS: Final = 20
_MAX_CHARACTERS: Final = 200
# Expression for a script that defines `own`, a reader of document members through the prototype.
# Returns the families of loaded web fonts, and the requested family lists, each with the language
# and the different characters of its texts, where `a` is any that all text fonts have. The styles
# of the first 300 texts are read; a later text has the family of an earlier one of a like element.
# All lists have 5 000 characters together: to find the font of one takes time.
REQUESTED_FONTS: Final = """(() => {
  const root = own('documentElement');
  if (!root) { return null; }
  const faces = [...own('fonts')].filter((face) => face.status === 'loaded')
    .slice(0, 200).map((face) => face.family.slice(0, 500));
  const skipped = new Set(['SCRIPT', 'STYLE', 'TITLE', 'NOSCRIPT', 'TEMPLATE', 'TEXTAREA']);
  const others = /[^\\u0000-\\u017f\\u2013-\\u201e\\u2022\\u2026\\u20ac\\u2122]/gu;
  const groups = new Map(), alike = new Map();
  let lettersLeft = 5000;
  const tagName = Reflect.getOwnPropertyDescriptor(Element.prototype, 'tagName').get;
  const attribute = (element, name) => Element.prototype.getAttribute.call(element, name);
  const groupOf = (element, lang) => {
    const families = getComputedStyle(element).fontFamily.slice(0, 500);
    const key = `${lang}\\n${families}`;
    if (!groups.has(key) && groups.size < 300) { groups.set(key, [families, lang, new Set()]); }
    return groups.get(key);
  };
  const languageOf = (element) => {
    const holder = Element.prototype.closest.call(element, '[lang]');
    return holder ? attribute(holder, 'lang').slice(0, 35).toLowerCase() : '';
  };
  const rootLanguage = languageOf(root);
  const walker = Document.prototype.createTreeWalker.call(document, root, NodeFilter.SHOW_TEXT);
  for (let seen = 0; seen < 1000000 && walker.nextNode();) {
    const text = walker.currentNode.data, element = walker.currentNode.parentElement;
    if (!element || !/\\S/.test(text)) { continue; }
    const tag = tagName.call(element);
    if (skipped.has(tag)) { continue; }
    seen++;
    const found = text.match(others);
    const lang = found ? languageOf(element) : rootLanguage;
    const like = `${tag} ${attribute(element, 'class')} ${attribute(element, 'style')} ${lang}`;
    let group = seen > 300 ? alike.get(like) : null;
    if (!group && (seen <= 300 || alike.size < 5000)) {
      group = groupOf(element, lang);
      alike.set(like, group);
    }
    if (!group) { continue; }
    if (!found || found.length < text.length) { group[2].add('a'); }
    for (const letter of lettersLeft > 0 ? found ?? [] : []) {
      if (lettersLeft > 0 && !group[2].has(letter)) { group[2].add(letter); lettersLeft--; }
    }
  }
  const asked = [...groups.values()].map(([families, lang, letters]) =>
    [families, lang, [...letters].join('')]);
  return {faces, asked};
})()"""
_FAMILY_NAME: Final = re.compile(r"""\s*(?:"([^"]*)"|'([^']*)'|([^,"']+))\s*(?:,|$)""")
# The letter of REQUESTED_FONTS for all that every text font has.
_LATIN: Final = "a"
_INVISIBLE_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Zs", "Zl", "Zp"})
# Variation selectors, and letters without a form that have other categories.
_INVISIBLE: Final = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0000-\U000e0fff]"
)


class GlyphGap(NamedTuple):
    """Characters that no font has, in text of `requested`, the first family of its list."""

    requested: str
    characters: str


class InstalledFonts(NamedTuple):
    """The bundled fonts.

    `families` has the font that each family is drawn with, by the family's name in lower case.
    """

    families: Mapping[str, str]
    folder: Path

    @classmethod
    @cache
    def read(cls, families: Path) -> "InstalledFonts":
        """Read the families file that the build of layers/fonts writes."""
        return cls(json.loads(families.read_bytes()), families.parent)

    def font_for(self, family: str) -> str | None:
        """Return the font that a family is drawn with, or None without a substitute."""
        return self.families.get(family.lower())

    @property
    def coverage(self) -> "FontCoverage":
        """Return the characters of the fonts, which only texts beyond Latin need."""
        return FontCoverage.read(self.folder / "characters.json")


class FontCoverage(NamedTuple):
    """Characters of each font, and the order of the fonts where a text's families lack some."""

    fallbacks: Sequence[str]
    characters: Mapping[str, Sequence[int]]

    @classmethod
    @cache
    def read(cls, path: Path) -> "FontCoverage":
        """Read the file of characters that the build of layers/fonts writes."""
        return cls(**json.loads(path.read_bytes()))

    def has(self, font: str, letter: str) -> bool:
        """Tell whether a font has a glyph; its ranges are a first character and one after."""
        return bool(bisect_right(self.characters.get(font, ()), ord(letter)) % 2)

    def fallback_for(self, letter: str, first: str | None) -> str | None:
        """Return the font that has a character; `first` is tried first."""
        order = (*((first,) if first else ()), *self.fallbacks, *self.characters)
        return next((font for font in order if self.has(font, letter)), None)


class FontReport(NamedTuple):
    """Pairs of requested and used font, missing characters, and web fonts that came too late."""

    used: Sequence[tuple[str, str]]
    missing: Sequence[GlyphGap]
    late: Sequence[str] = ()


def font_report(
    answer: FunctionResult[RequestedFonts | None], installed: InstalledFonts
) -> FontReport:
    """Return the report of a page; `answer` is the result of REQUESTED_FONTS.

    `requested` is the first family of a list. For a web font only Latin text is reported: which
    other characters it has is unknown.
    """
    requested = answer.get("result", {}).get("value")
    if requested is None:
        return FontReport((), ())
    late = _first_names(requested.get("late", []))
    faces = _first_names(requested["faces"]) - late
    used: set[tuple[str, str]] = set()
    missing: dict[str, set[str]] = {}
    for text, lang, letters in requested["asked"]:
        if not (families := _family_names(text)):
            continue
        for letter, font in _drawn_letters(families, lang, letters, faces, installed):
            if font is None:
                missing.setdefault(families[0], set()).add(letter)
            else:
                used.add((families[0], font))
    found = [
        GlyphGap(name, "".join(sorted(missing[name])[:_MAX_CHARACTERS])) for name in sorted(missing)
    ]
    return FontReport(sorted(used)[:_MAX_FONTS], found[:_MAX_FONTS], sorted(late)[:MAX_LATE_FONTS])


def late_font_warnings(report: FontReport) -> list[RenderWarning]:
    """Return a warning for each web font that is not shown."""
    return [
        RenderWarning(
            "feature_unavailable",
            f"The font {family} came after font-display: optional had given it up, so its texts "
            "have the next font of their list: use font-display: block.",
            family,
        )
        for family in report.late
    ]


def _drawn_letters(
    families: Sequence[str],
    lang: str,
    letters: str,
    faces: set[str],
    installed: InstalledFonts,
) -> Iterator[tuple[str, str | None]]:
    """Yield each visible character with its font, None without one."""
    standard = script_family(lang)
    if standard and list(families) == [DEFAULT_FAMILY]:
        # What a text without any family computes to, also where its script has a family.
        families = ()
    names = [*families, standard or DEFAULT_FAMILY]
    for letter in filter(_is_visible, letters):
        named = _named_font(names, letter, faces, installed)
        if named is None:
            first = EMOJI_FAMILY if is_drawn_as_emoji(letter) else standard
            yield letter, installed.coverage.fallback_for(letter, first)
        elif named not in faces or letter == _LATIN:
            yield letter, named


def _named_font(
    names: Sequence[str], letter: str, faces: set[str], installed: InstalledFonts
) -> str | None:
    """Return the first web font or bundled font of a list that has a character."""
    for name in names:
        if name in faces:
            return name
        font = installed.font_for(name)
        if font is not None and (
            letter == _LATIN
            or (not is_drawn_as_emoji(letter) and installed.coverage.has(font, letter))
        ):
            return font
    return None


def _is_visible(letter: str) -> bool:
    return (
        unicodedata.category(letter) not in _INVISIBLE_CATEGORIES
        and _INVISIBLE.match(letter) is None
    )


def _first_names(texts: Sequence[str]) -> set[str]:
    return {names[0] for names in map(_family_names, texts) if names}


def _family_names(text: str) -> list[str]:
    """Return the family names of a CSS font-family list."""
    return [next(filter(None, match.groups()), "").strip() for match in _FAMILY_NAME.finditer(text)]
