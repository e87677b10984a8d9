"""Build of the fonts layer: the pinned fonts, and a fontconfig file that is relocatable."""

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final
from unicodedata import category

from chalicelib.engine.pdf.fonts.true_type import TrueTypeFont, font_file
from layers.fonts.families import (
    ALIASES,
    FALLBACK_FAMILIES,
    LANGUAGES,
    TEXT_FAMILIES,
    full_names,
)
from layers.fonts.pins import FONTS, SCOPE
from layers.npm import Package, build_from_packages, main, tarball_files

_STYLES: Final = ("400Regular", "400Regular_Italic", "700Bold", "700Bold_Italic")
# Table of characters in groups (OpenType, "cmap"), which hold those above U+FFFF.
_GROUPED: Final = b"\0\x0c"
_FIRST_PICTURE: Final = 0x1F000
# Names of DejaVu's files, and the names that the same files have in the other packages.
_DEJAVU: Final = {
    f"ttf/{family}{old}.ttf": f"{family}_{new}.ttf"
    for family in ("DejaVuSans", "DejaVuSansCondensed", "DejaVuSansMono")
    for old, new in (
        ("", "400Regular"),
        ("-Oblique", "400Regular_Italic"),
        ("-Bold", "700Bold"),
        ("-BoldOblique", "700Bold_Italic"),
    )
}
# The font cache is found by the path that `as-path` gives, wherever the folder is. There is no
# document type: fontconfig does not need it, and it would name a file that may be absent.
_FONTCONFIG: Final = """\
<?xml version="1.0"?>
<fontconfig>
  <remap-dir prefix="relative" as-path="/platen/fonts">ttf</remap-dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <config><rescan><int>0</int></rescan></config>
{languages}{aliases}{fallback}{full_names}</fontconfig>
"""
# Fallback families for glyphs that a text's own families lack, in this order. In fontconfig's own
# order Arabic would be drawn with mathematical letters, which do not join.
_FALLBACK_RULE: Final = """\
  <match target="pattern">
    <edit name="family" mode="append_last" binding="weak">{families}</edit>
  </match>
"""
_LANGUAGE_RULE: Final = """\
  <match target="pattern">
    <test name="lang" compare="eq"><string>{name}</string></test>
    <edit name="lang" mode="assign" binding="strong"><string>{language}</string></edit>
  </match>
"""
# Names of whole fonts, which are what `local()` of CSS asks for. They stand in the font cache.
_FULL_NAMES_RULE: Final = """\
  <match target="scan">
    <test name="file" compare="contains"><string>/{file}</string></test>
    <edit name="fullname" mode="append">{names}</edit>
  </match>
"""
_ALIAS_ELEMENT: Final = """\
  <alias binding="same">
    <family>{name}</family>
    <prefer>{families}</prefer>
  </alias>
"""


def build(target: Path) -> None:
    """Create `ttf`, `licenses` and the files that describe the fonts in `target`; idempotent."""
    packages = [Package(*font) for font in FONTS]
    recipe = f"5 {_STYLES} {_DEJAVU} {sorted(_families())} {_fonts_conf()}"
    build_from_packages(target, packages, recipe=recipe, unpack=_unpack, finish=_describe)


def _unpack(package: Package, tarball: Path, folder: Path) -> None:
    family = package.name.removeprefix(SCOPE)
    fonts, licenses = folder / "ttf", folder / "licenses"
    fonts.mkdir(exist_ok=True)
    licenses.mkdir(exist_ok=True)
    for name, content in tarball_files(tarball):
        path = PurePosixPath(name)
        if path.suffix == ".ttf" and path.parts[0] in _STYLES:
            (fonts / path.name).write_bytes(_without_svg(content))
        elif name in _DEJAVU:
            (fonts / _DEJAVU[name]).write_bytes(_without_pictures(content))
        elif name in {"LICENSE_FONT", "LICENSE"}:
            (licenses / f"{family}.txt").write_bytes(content)


def _without_pictures(content: bytes) -> bytes:
    """Return a text font without U+1F000 and above, so that emoji in its text have colours."""
    tables = {tag: bytearray(table) for tag, table in TrueTypeFont(content).tables.items()}
    cmap = tables["cmap"]
    (count,) = struct.unpack_from(">H", cmap, 2)
    for number in range(count):
        (offset,) = struct.unpack_from(">I", cmap, 8 + number * 8)
        if cmap[offset : offset + 2] == _GROUPED:
            (groups,) = struct.unpack_from(">I", cmap, offset + 12)
            ends = struct.iter_unpack(">4xI4x", cmap[offset + 16 : offset + 16 + groups * 12])
            kept = sum(end < _FIRST_PICTURE for (end,) in ends)
            struct.pack_into(">I", cmap, offset + 12, kept)
    return font_file({tag: bytes(table) for tag, table in tables.items()})


def _without_svg(content: bytes) -> bytes:
    """Return a font without pictures in SVG: 20 MB of the emoji, which the browser never draws."""
    tables = TrueTypeFont(content).tables
    if "SVG " not in tables:
        return content
    return font_file({tag: bytes(table) for tag, table in tables.items() if tag != "SVG "})


def _describe(folder: Path) -> None:
    (folder / "fonts.conf").write_text(_fonts_conf(), encoding="utf-8")
    (folder / "families.json").write_text(json.dumps(_families(), indent=1), encoding="utf-8")
    characters = {
        family: _character_ranges(folder / "ttf" / f"{family.replace(' ', '')}_400Regular.ttf")
        for family in (*TEXT_FAMILIES, *FALLBACK_FAMILIES)
    }
    described = {"fallbacks": FALLBACK_FAMILIES, "characters": characters}
    text = json.dumps(described, separators=(",", ":"))
    (folder / "characters.json").write_text(text, encoding="utf-8")


def _character_ranges(font: Path) -> list[int]:
    """Return the characters of a font: the first of each range, and the one after its last."""
    glyphs = TrueTypeFont(font.read_bytes()).glyphs
    # Nobody but its own font knows what a character of private use looks like.
    numbers = sorted(number for number in glyphs if category(chr(number)) != "Co")
    bounds: list[int] = []
    for number in numbers:
        if bounds and bounds[-1] == number:
            bounds[-1] += 1
        else:
            bounds += (number, number + 1)
    return bounds


def _families() -> dict[str, str]:
    """Return the family that draws each name, by the name in lower case."""
    families = {name.lower(): name for name in (*TEXT_FAMILIES, *FALLBACK_FAMILIES)} | {
        name.lower(): names[0] for name, names in ALIASES.items()
    }
    # The emoji family has no letters, so it draws no text.
    del families["emoji"]
    return families


def _fonts_conf() -> str:
    aliases = "".join(
        _ALIAS_ELEMENT.format(
            name=name,
            families="".join(f"<family>{family}</family>" for family in families),
        )
        for name, families in ALIASES.items()
    )
    families = "".join(f"<string>{family}</string>" for family in FALLBACK_FAMILIES)
    languages = "".join(
        _LANGUAGE_RULE.format(name=name, language=language) for name, language in LANGUAGES.items()
    )
    return _FONTCONFIG.format(
        languages=languages,
        aliases=aliases,
        fallback=_FALLBACK_RULE.format(families=families),
        full_names="".join(_full_names_rules()),
    )


def _full_names_rules() -> Iterator[str]:
    for family, style, fonts in full_names():
        names = "".join(f"<string>{name}</string>" for name in fonts)
        file = f"{family.replace(' ', '')}_{style}.ttf"
        yield _FULL_NAMES_RULE.format(file=file, names=names)


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
