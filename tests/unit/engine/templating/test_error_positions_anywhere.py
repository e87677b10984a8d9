"""Error positions are independent of the text around the faulty tag or token."""

import random
from typing import Final

import pytest

from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.renderer import TemplateRenderer

SYNTAX: Final = "template_syntax_error"
RUNTIME: Final = "template_runtime_error"
FUEL: Final = "template_fuel_exhausted"

# The marker shows the expected position and is removed before rendering.
MARK: Final = "«"
FAULTS: Final = [
    # Of two errors in one line the first is reported, in both orders.
    ("{{ «1 / 0 }} {{ text.gone }}", RUNTIME, "division by zero"),
    ("{{ «text.gone }} {{ 1 / 0 }}", RUNTIME, "no attribute 'gone'"),
    ("{{ text }} {{ «1 / 0 }} {{ text }} {{ 1 / 0 }}", RUNTIME, "division by zero"),
    ("{% «set x = 1 / 0 %}{% set y = 1 / 0 %}", RUNTIME, "division by zero"),
    ("{% set x = 1 %}{% «set y = 1 / 0 %}", RUNTIME, "division by zero"),
    ("{{ 'a' }}{{ «'b' ~ (1 / 0) }}", RUNTIME, "division by zero"),
    ("{{ text|upper }}{{ «text|upper|round }}", RUNTIME, "round takes a number"),
    ("{{ «[1,\n 2, 3 / 0] }}", RUNTIME, "division by zero"),
    ("{% if text %}{% «if 1 / 0 %}{% endif %}{% endif %}", RUNTIME, "division by zero"),
    ("{% if not text %}{% elif «1 / 0 %}{% endif %}", RUNTIME, "division by zero"),
    ("{% «for x in 5 %}{% endfor %}", RUNTIME, "not iterable"),
    ("{% for x in [1] if «x / 0 %}{% endfor %}", RUNTIME, "division by zero"),
    ("{% for x in [] %}{% else %}{{ «1 / 0 }}{% endfor %}", RUNTIME, "division by zero"),
    ("{{ text }}{% «with a = 1 / 0 %}{% endwith %}", RUNTIME, "division by zero"),
    ("{{ text }}{% «autoescape 1 / 0 %}{% endautoescape %}", RUNTIME, "division by zero"),
    ("{% macro m() %}\t{{ «1 / 0 }}{% endmacro %}{{ m() }}", RUNTIME, "division by zero"),
    ("{% «macro m(a=1 / 0) %}{% endmacro %}{{ m() }}", RUNTIME, "division by zero"),
    ("{% macro m(a) %}{% endmacro %}{{ «m(1, 2) }}", RUNTIME, "not more than 1"),
    ("{% macro m() %}{{ caller() }}{% endmacro %}{% call m() %}{{ «1 / 0 }}{% endcall %}",
     RUNTIME, "division by zero"),
    ("{% macro m(a) %}{% endmacro %}{% «call m(1 / 0) %}{% endcall %}", RUNTIME, "division"),
    ("a {% «filter round %}b{% endfilter %}", RUNTIME, "round takes a number"),
    ("{% filter upper %}b {{ «1 / 0 }}{% endfilter %}", RUNTIME, "division by zero"),
    ("{% set x %}b {{ «1 / 0 }}{% endset %}", RUNTIME, "division by zero"),
    ("{% «set x|round %}b{% endset %}", RUNTIME, "round takes a number"),
    ("{% block b1 %}{{ «1 / 0 }}{% endblock %}", RUNTIME, "division by zero"),
    ("{% raw %}{{ 1 / 0 }}{% endraw %}{{ «1 / 0 }}", RUNTIME, "division by zero"),
    ("{# {{ 1 / 0 }} #}{{ «1 / 0 }}", RUNTIME, "division by zero"),
    ("  {{- «1 / 0 -}}  ", RUNTIME, "division by zero"),
    ("{{ text|«nope }}", RUNTIME, "No filter named 'nope'"),
    ("{{ text «is nope }}", RUNTIME, "No test named 'nope'"),
    ("{% «if text|nope %}{% endif %}", RUNTIME, "No filter named 'nope'"),
    ("{% if text %}\n{{ «text is nope }}{% endif %}", RUNTIME, "No test named 'nope'"),
    ("{{ «text|nope if text else 1 }}", RUNTIME, "No filter named 'nope'"),
    ("{{ «namespace().gone.x }}", RUNTIME, "'namespace object' has no attribute 'gone'"),
    ("{% for x in [1] %}{{ «loop.gone.x }}{% endfor %}", RUNTIME, "'loop object' has no"),
    ("{{ «nope(1) }}", RUNTIME, "'nope' is undefined"),
    ("{{ «{}[range] }}", RUNTIME, "has no element"),
    ("{{ text }}{{ «'x' * 10**9 }}", FUEL, "too large"),
    ("{{ text }} {{ text «text }} {{ text text }}", SYNTAX, "got 'text'"),
    ("{{ text }} {{ «}} {{ 1 / 0 }}", SYNTAX, "Expected an expression"),
    ("{% «nope %}", SYNTAX, "unknown tag 'nope'"),
    ("{% if text %}{% «endfor %}", SYNTAX, "unknown tag 'endfor'"),
    ("{% for x «y %}{% endfor %}", SYNTAX, "expected token 'in'"),
    ("{{ text «? 1 }}", SYNTAX, "unexpected char '?'"),
    ("{{ («}}", SYNTAX, "unexpected '}'"),
    ("{% set «1 = 2 %}", SYNTAX, "can't assign"),
    ("{% block b2 %}{% endblock %}{% «block b2 %}{% endblock %}", SYNTAX, "defined twice"),
]  # fmt: skip
AROUND: Final = [
    "",
    "plain ",
    "\n",
    "\r\n",
    "\r",
    "\t\t",
    "{{ text }}",
    "{{ text -}}\r\n  ",
    " \r {%- set q = text %}",
    "ä€",
    "😀",
    "e\u0301",
    "\u2028\x0b\x0c",
    "{# a\r\nb #}",
    "{% raw %}{{ {% endraw %}",
    "{% if text %}\n\ty{% endif %}",
    "{{ 'two\r\nlines' }}",
    "{% for i in [1, 2] %}\r{{ i }}{% endfor %}",
    "x" * 400,
]


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(("marked", "code", "words"), FAULTS)
def test_error_position_is_independent_of_surrounding_text(
    renderer: TemplateRenderer, marked: str, code: str, words: str
) -> None:
    chance = random.Random(marked)  # noqa: S311 -- the same ones each time
    for _ in range(25):
        before = "".join(chance.choices(AROUND, k=chance.randrange(6)))
        after = "".join(chance.choices(AROUND, k=chance.randrange(6)))
        source = before + marked.replace(MARK, "") + after

        fault = renderer.render(source, {"text": "text"}, strict=True)

        line, column, whole = _place(source, len(before) + marked.index(MARK))
        assert isinstance(fault, TemplateFailure), source
        assert (fault.code, fault.line, fault.column) == (code, line, column), (source, fault)
        assert words in fault.message
        assert "0x" not in fault.message
        assert fault.excerpt is not None
        assert len(fault.excerpt) == min(160, len(whole))
        assert whole[column - 1 : column + 20] in fault.excerpt + "…"
        assert fault.excerpt in whole


def _place(source: str, offset: int) -> tuple[int, int, str]:
    """Return the line, column and whole line of a character, counted one by one."""
    lines, line = [""], 0
    column = 0
    characters = list(source)
    for index, character in enumerate(characters):
        if index == offset:
            line, column = len(lines), len(lines[-1]) + 1
        if character == "\n" and index and characters[index - 1] == "\r":
            continue
        if character in "\r\n":
            lines.append("")
        else:
            lines[-1] += character
    return line, column, lines[line - 1]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_first_and_last_line(renderer: TemplateRenderer, ending: str) -> None:
    lines = ["a", "b", "c"]
    for number in range(3):
        broken = [*lines]
        broken[number] += "{{ 1 / 0 }}"

        fault = renderer.render(ending.join(broken) + ending, {}, strict=False)

        assert isinstance(fault, TemplateFailure)
        assert (fault.line, fault.column) == (number + 1, 5)
        assert fault.excerpt == broken[number]


@pytest.mark.parametrize("source", ["{% if a %}", "{% for a in b %}x", "{% macro m() %}"])
def test_unclosed_tag_is_reported_at_the_end_of_the_text(
    renderer: TemplateRenderer, source: str
) -> None:
    fault = renderer.render(f"{source}\r\n\r\nthe end\r\n\r\n", {}, strict=False)

    assert isinstance(fault, TemplateFailure)
    assert fault.code == SYNTAX
    assert (fault.line, fault.column, fault.excerpt) == (3, 8, "the end")
