"""Language and filters that docs/templates.md shows: each line gives what it says."""

import json
import re
from collections.abc import Iterator
from typing import Final

import pytest

from chalicelib.core.json import JsonObject
from chalicelib.engine.templating.environment import TemplateEnvironment
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.filters.locale_settings import LocaleSettings
from chalicelib.engine.templating.fuel import FuelMeter
from chalicelib.engine.templating.loader import TemplateLoader
from chalicelib.engine.templating.renderer import TemplateRenderer
from chalicelib.engine.templating.undefined import UndefinedValues
from infra.template import ROOT

_PAGE: Final = (ROOT / "docs" / "templates.md").read_text(encoding="utf-8")
_CODE: Final = re.compile(r"`([^`]+)`")


def _section(heading: str) -> str:
    return _PAGE.partition(f"\n{heading}\n")[2].partition("\n#")[0]


_DATA: Final[JsonObject] = json.loads(
    re.findall(r"data\n`(\{.+\})`\.", _section("## Language"))[0], parse_float=str
)


def _rows(heading: str) -> Iterator[list[str]]:
    """Yield the cells of the rows of a section's table."""
    for line in _section(heading).partition("|---")[2].splitlines()[1:]:
        if line.startswith("| "):
            cells = re.split(r"(?<!\\)\|", line.strip("| "))
            yield [cell.strip().replace("\\|", "|") for cell in cells]


_LANGUAGE: Final = [row[1:3] for row in _rows("## Language")]
_NUMBERS: Final = [*_rows("### Numbers and dates")]
_MARKUP: Final = [*_rows("### Markup")]
_GENERAL: Final = [*_rows("### Lists and texts")]


def _code(cell: str) -> str:
    found = _CODE.search(cell)
    assert found is not None, cell
    return found[1]


def _result(template: str, locale: str | None = None) -> str:
    result = TemplateRenderer().render(
        template, _DATA, strict=False, locale_defaults=LocaleDefaults(locale=locale)
    )
    assert isinstance(result, str), result
    return result.strip().replace("\n", "⏎")


def _assert_shown(cell: str, result: str) -> None:
    shown = "" if cell == "nothing" else _code(cell)
    start, is_cut, _ = shown.partition("…")
    assert result.startswith(start) if is_cut else result == shown, (shown, result)


@pytest.mark.parametrize(
    ("template", "result"),
    [*_LANGUAGE, *[row[1:3] for row in _MARKUP], *[row[1:3] for row in _GENERAL]],
)
def test_example_gives_its_result(template: str, result: str) -> None:
    _assert_shown(result, _result(_code(template)))


@pytest.mark.parametrize(("template", "en", "de", "fr"), [row[1:5] for row in _NUMBERS])
def test_example_gives_its_result_in_each_locale(template: str, en: str, de: str, fr: str) -> None:
    for locale, cell in (("en", en), ("de", de), ("fr", fr)):
        _assert_shown(cell, _result(_code(template), locale))


def test_the_tables_have_every_filter() -> None:
    rows = [*_NUMBERS, *_MARKUP, *_GENERAL]
    named = {name for row in rows for name in _CODE.findall(row[0])}
    loader = TemplateLoader()
    environment = TemplateEnvironment(
        FuelMeter(), loader, LocaleSettings(), UndefinedValues(loader), strict=False
    )

    assert named == set(environment.filters)
    for row in rows:
        assert any(f"|{name}" in row[1] for name in _CODE.findall(row[0])), row


def test_the_sections_are_found() -> None:
    assert len(_LANGUAGE) > 10
    assert len(_NUMBERS) > 10
    assert len(_MARKUP) == 5
    assert len(_GENERAL) > 40
