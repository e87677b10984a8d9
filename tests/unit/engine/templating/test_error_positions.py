"""Error positions: line and column from 1, and the source line."""

import pytest

from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.positions import source_position
from chalicelib.engine.templating.renderer import TemplateRenderer

SYNTAX = "template_syntax_error"
RUNTIME = "template_runtime_error"
FUEL = "template_fuel_exhausted"


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(
    ("source", "code", "line", "column"),
    [
        ("{{ a|nope }}", RUNTIME, 1, 6),
        ("{{ a is nope }}", RUNTIME, 1, 6),
        ("{{ nope() }}", RUNTIME, 1, 4),
        ("fine {{ a }} and {{ a.b.c.d }}", RUNTIME, 1, 21),
        ("{{ a + 1 }} {{ a + 'x' }}", RUNTIME, 1, 4),
        ("{{ 1 + 1 }} {{ a + 1 }}", RUNTIME, 1, 16),
        ("\n\n{% if a %}\n  {% for x in 5 %}{% endfor %}{% endif %}", RUNTIME, 4, 6),
        ("é\r\n\t{{ 1 / 0 }}", RUNTIME, 2, 5),
        ("äöü€😀 {{ 1 // 0 }}", RUNTIME, 1, 10),
        ("one\rtwo\r{{ 1 / 0 }}", RUNTIME, 3, 4),
        ("{% macro m() %}\n {{ 1 / 0 }}{% endmacro %}\n{{ m() }}", RUNTIME, 2, 5),
        ("{% include 'tpl_x' %}", RUNTIME, 1, 4),
        ("{% foo %}", SYNTAX, 1, 4),
        ("a\n{{ 'open }}", SYNTAX, 2, 4),
        ("{{ a..b }}", SYNTAX, 1, 6),
        ("{{ ( }}", SYNTAX, 1, 6),
        ("{{ a }", SYNTAX, 1, 6),
        ("{% if a %}\nabc\n\n", SYNTAX, 2, 4),
        ("{# never closed", SYNTAX, 1, 3),
        ("{% for x in y %}{% endif %}", SYNTAX, 1, 20),
        ("{{ a }}\n{{ " + "9" * 5000 + " }}", SYNTAX, 2, 4),
        (
            "x\n{% for a in range(5000) %}{% for b in range(5000) %}{% endfor %}{% endfor %}",
            FUEL,
            2,
            30,
        ),
        ("x {% for a in range(50) %}{{ 'x' * 999999 }}{% endfor %}", FUEL, 1, 30),
        ("{{ a }}\n   {{ '%999999999d' % 1 }}", FUEL, 2, 7),
    ],
)
def test_errors_have_line_and_column(
    renderer: TemplateRenderer, source: str, code: str, line: int, column: int
) -> None:
    fault = renderer.render(source, {"a": "text"}, strict=True)

    assert isinstance(fault, TemplateFailure)
    assert (fault.code, fault.line, fault.column) == (code, line, column), fault


def test_nesting_beyond_what_python_compiles_is_a_syntax_error(renderer: TemplateRenderer) -> None:
    for source in (
        "{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}",
        "{{ " + "+".join(["1"] * 5000) + " }}",
        "{{ a" + ".b" * 5000 + " }}",
        "{{ " + "not " * 5000 + "a }}",
        "{% if a %}" * 200 + "{% endif %}" * 200,
    ):
        fault = renderer.render(source, {}, strict=False)

        assert isinstance(fault, TemplateFailure)
        assert fault.code == SYNTAX
        assert fault.message == "The template is nested too deeply."


def test_long_lines_are_cut_around_the_column() -> None:
    where = source_position("a" * 500 + "!" + "b" * 500, 501)

    assert (where.line, where.column, len(where.excerpt)) == (1, 501, 160)
    assert where.excerpt[80] == "!"


def test_positions_at_both_ends() -> None:
    assert source_position("one\ntwo", 1).excerpt == "one"
    assert source_position("one\ntwo", 8).column == 4
    assert source_position("one\ntwo", 99).line == 2
    assert source_position("", 1).excerpt == ""
