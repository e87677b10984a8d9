"""Fonts layer: what describes the fonts agrees with itself and with the files."""

import json
from typing import Final
from xml.etree import ElementTree as ET

import pytest

from chalicelib.engine.browser.chromium.script_fonts import FAMILIES_OF_SCRIPTS
from chalicelib.engine.browser.output.fonts import FontCoverage
from chalicelib.engine.pdf.fonts.true_type import TrueTypeFont
from infra.setup.steps import INSTALL_DIR
from layers.fonts import families, pins

FONTS: Final = INSTALL_DIR / "fonts"
BUNDLED: Final = {*families.TEXT_FAMILIES, *families.FALLBACK_FAMILIES}
# By name: the family that draws it.
NAMES: Final = {
    "Verdana": "DejaVu Sans",
    "Segoe UI": "Open Sans",
    "Calibri": "Carlito",
    "Cambria": "Caladea",
    "Georgia": "Gelasio",
    "Roboto": "Roboto",
    "Inter": "Inter",
    "Tahoma": "DejaVu Sans Condensed",
    "Trebuchet MS": "Fira Sans",
    "Comic Sans MS": "Comic Neue",
    "system-ui": "Noto Sans",
    "cursive": "Comic Neue",
    "fantasy": "Anton",
    "Consolas": "Inconsolata",
    "Menlo": "DejaVu Sans Mono",
    "Palatino": "Caladea",
    "Garamond": "EB Garamond",
    "Noto Sans HK": "Noto Sans TC",
}


def test_every_name_is_drawn_with_a_bundled_family() -> None:
    described = json.loads((FONTS / "families.json").read_bytes())

    assert {name: described[name.lower()] for name in NAMES} == NAMES
    assert set(described.values()) <= BUNDLED


def test_fontconfig_file_names_bundled_families_only() -> None:
    conf = ET.fromstring((FONTS / "fonts.conf").read_text())  # noqa: S314 -- our own file

    preferred = {element.text for element in conf.findall("alias/prefer/family")}
    fallbacks = [element.text for element in conf.findall("match/edit[@name='family']/string")]
    assert preferred <= BUNDLED
    assert tuple(fallbacks) == families.FALLBACK_FAMILIES


def test_families_of_scripts_are_bundled() -> None:
    assert isinstance(FAMILIES_OF_SCRIPTS, list)
    assert "Noto Sans TC" in str(FAMILIES_OF_SCRIPTS)
    for each in FAMILIES_OF_SCRIPTS:
        assert isinstance(each, dict)
        assert str(each["fontFamilies"]).split("'")[3] in BUNDLED


def test_every_family_has_its_file_and_its_licence() -> None:
    files = {path.stem.partition("_")[0] for path in (FONTS / "ttf").iterdir()}

    assert files == {family.replace(" ", "") for family in BUNDLED}
    assert len(list((FONTS / "licenses").iterdir())) >= len(pins.FONTS) - 2


def test_characters_are_those_of_the_files() -> None:
    coverage = FontCoverage.read(FONTS / "characters.json")
    glyphs = TrueTypeFont((FONTS / "ttf" / "NotoSansTamil_400Regular.ttf").read_bytes()).glyphs

    for number in range(0x3000):
        assert coverage.has("Noto Sans Tamil", chr(number)) == (number in glyphs), hex(number)


@pytest.mark.parametrize("family", ["DejaVuSans", "DejaVuSansCondensed"])
def test_text_fonts_have_no_pictures(family: str) -> None:
    """Else emoji in Verdana and Tahoma would be black."""
    glyphs = TrueTypeFont((FONTS / "ttf" / f"{family}_700Bold.ttf").read_bytes()).glyphs

    assert ord("a") in glyphs
    assert max(glyphs) < 0x1F000


def test_emoji_have_no_pictures_in_svg() -> None:
    tables = TrueTypeFont((FONTS / "ttf" / "NotoColorEmoji_400Regular.ttf").read_bytes()).tables

    assert "COLR" in tables
    assert "SVG " not in tables
