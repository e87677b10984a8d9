"""Differences from Jinja2 that docs/templates.md names: each line gives what it says."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from jinja2 import Environment, UndefinedError

from chalicelib.core.json import JsonObject
from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.methods import METHOD_IDIOMS
from chalicelib.engine.templating.renderer import TemplateRenderer

_PAGE = Path(__file__).parents[4] / "docs" / "templates.md"
_SECTION = _PAGE.read_text().partition("## Differences from Jinja2")[2].partition("\n## ")[0]
_DATA: JsonObject = json.loads(re.findall(r"for the data `(.+)`", _SECTION)[0])
_CODE = re.compile(r"`([^`]+)`")


def _rows(heading: str) -> Iterator[tuple[str, str, str]]:
    """Yield the cells of the table whose first heading it is."""
    table = _SECTION.partition(f"| {heading} |")[2].partition("\n\n")[0]
    for line in table.splitlines()[2:]:
        first, second, third = re.split(r"(?<!\\)\|", line.strip("| "))
        yield tuple(cell.strip().replace("\\|", "|") for cell in (first, second, third))  # type: ignore[misc]


def _code(cell: str) -> str:
    found = _CODE.search(cell)
    assert found is not None, cell
    return found[1]


def _assert_told(cell: str, text: str) -> None:
    told = "" if cell == "nothing" else _code(cell)
    start, has_rest, _ = told.partition("…")
    assert text.startswith(start) if has_rest else text.strip() == told, (cell, text)


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(("template", "here", "there"), [*_rows("Template")])
def test_difference(renderer: TemplateRenderer, template: str, here: str, there: str) -> None:
    result = renderer.render(_code(template), _DATA, strict=False)

    assert isinstance(result, TemplateFailure) == here.startswith("error: ")
    _assert_told(here, result if isinstance(result, str) else result.message)
    if "`" not in there:
        return
    stock = Environment()  # noqa: S701 -- Jinja2 as it is
    try:
        text = stock.from_string(_code(template)).render(json.loads(json.dumps(_DATA)))
    except UndefinedError as error:
        text = f"error: {error}"
    assert text.startswith("error: ") == there.startswith("error: ")
    _assert_told(there, text.removeprefix("error: "))


@pytest.mark.parametrize(("habit", "idiom", "gives"), [*_rows("Instead of")])
def test_idiom(renderer: TemplateRenderer, habit: str, idiom: str, gives: str) -> None:
    result = renderer.render(_code(idiom), _DATA, strict=True)

    assert isinstance(result, str), result
    _assert_told(gives, result)
    if habit.startswith("`"):
        when = {"when": "2026-11-22", **_DATA}
        assert isinstance(renderer.render(_code(habit), when, strict=False), TemplateFailure)


@pytest.mark.parametrize(
    ("kind", "method"), [(kind, method) for kind in METHOD_IDIOMS for method in METHOD_IDIOMS[kind]]
)
def test_unknown_method_names_what_to_write(
    renderer: TemplateRenderer, kind: type, method: str
) -> None:
    names: dict[type, str] = {list: "rows", dict: "values", str: "text"}
    name = names[kind]
    data: JsonObject = {"rows": [1], "values": {"name": 1}, "text": "2026-11-22"}

    fault = renderer.render(f"a\n{{{{ {name}.{method}(1) }}}}", data, strict=False)

    assert isinstance(fault, TemplateFailure)
    assert f"has no method '{method}' here. Instead: " in fault.message
    assert (fault.code, fault.line) == ("template_runtime_error", 2)


def test_idioms_of_messages_work(renderer: TemplateRenderer) -> None:
    data: JsonObject = {
        "rows": [2, 1],
        "others": [3],
        "item": 4,
        "values": {"name": 1, "other": 2},
        "name": "name",
        "value": 5,
        "text": "2026-11-22",
        "old": "1",
        "new": "0",
    }
    for kind, idioms in METHOD_IDIOMS.items():
        for method, idiom in idioms.items():
            written = re.split(r", which| \(in|, and| or ", idiom)[0]
            source = written if written.startswith("{%") else f"{{{{ {written} }}}}"
            if kind is dict and written.endswith("s()"):
                source = f"{{{{ {written}|list }}}}"

            result = renderer.render(source, data, strict=True)

            assert isinstance(result, str), (method, idiom, result)
