"""Refusals of what cannot be compiled or called: in words of the template, at its place."""

from typing import TYPE_CHECKING

import pytest

from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.renderer import TemplateRenderer

if TYPE_CHECKING:
    from chalicelib.core.json import JsonObject

SYNTAX = "template_syntax_error"
RUNTIME = "template_runtime_error"


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        ("a\n{{ f(a=1, a=2) }} {{ v }}", (2, 13), "The argument 'a' is given twice."),
        ("{{ rows|join(d='', d='') }} {{ v }}", (1, 22), "The argument 'd' is given twice."),
        ("{{ 1 is eq(b=1, b=2) }} {{ v }}", (1, 19), "The argument 'b' is given twice."),
        ("{% macro m(v, v) %}{% endmacro %} {{ m() }}", (1, 15), "parameter 'v' is given twice."),
        ("{% call(a, a) f() %}{% endcall %}{{ v }}", (1, 12), "parameter 'a' is given twice."),
        ("{{ f(__debug__=1) }}{{ v }}", (1, 16), "The argument cannot have the name '__debug__'"),
        # Python reads the wide letter as `a`.
        ("{{ v }}{{ f(a=1, \uff41=2) }}{{ v }}", (1, 11), "The argument 'a' is given twice."),
        ("{{ v }}{% macro m(a, \uff41) %}{% endmacro %}{{ v }}", (1, 11), "'a' is given twice"),
        ("{% if 1 %}\n{% break %}{% endif %}{{ v }}", (2, 4), "'break' stands outside of a loop"),
        (
            "{% for i in [1] %}{% block b %}{% continue %}{% endblock %}{% endfor %}{{ v }}",
            (1, 35),
            "'continue' stands outside of a loop",
        ),
        ("{% for i in [1] %}" * 21 + "{% endfor %}" * 21, (1, 364), "more than 20 deep"),
        ("{{ 1 + 1e999 }}{{ v }}", (1, 8), "A number is too large"),
        ("{{ 1e999 }}{{ v }}", (1, 4), "A number is too large"),
        ("{{ " + "(" * 300 + "a" + ")" * 300 + " }}", None, "nested too deeply"),
        ("{{ " + "[" * 205 + "]" * 205 + " }}", None, "nested too deeply"),
    ],
)
def test_refused_source(
    renderer: TemplateRenderer, source: str, place: tuple[int, int] | None, words: str
) -> None:
    fault = renderer.render(source, {}, strict=False)

    assert isinstance(fault, TemplateFailure), fault
    assert fault.code == SYNTAX
    assert words in fault.message
    assert place in {None, (fault.line, fault.column)}, fault


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("{{ 2.0 ** 10000 }}", "too large"),
        ("{{ 'a'.center(10 ** 30) }}", "too large"),
        ("{{ (-1) ** 0.5 }}", "A negative number has no real power"),
        ("{{ ((-1) ** 0.5)|string }}", "A negative number has no real power"),
        ("{{ range < 1 }}", "instances of 'function' and 'int'"),
        ("{{ ([1]|select) + 1 }}", "for +: 'sequence' and 'int'"),
        ("{% for x in [1] %}{{ loop + 1 }}{% endfor %}", "for +: 'loop' and 'int'"),
        ("{{ ''.join([range]) }}", "str instance, function found"),
        ("{{ Method.x.y() }}", "'Method' is undefined"),
    ],
)
def test_error_names_no_class_of_the_service(
    renderer: TemplateRenderer, source: str, words: str
) -> None:
    fault = renderer.render(source, {}, strict=False)

    assert isinstance(fault, TemplateFailure), fault
    assert fault.code == RUNTIME
    assert words in fault.message


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{ " + " or ".join(["gone"] * 198) + " }}", ""),
        ("{{ " + " and ".join(["1"] * 198) + " }}", "1"),
        ("{{ " + "not " * 198 + "1 }}", "True"),
        ("{{ data" + ".data" * 197 + " }}", ""),
        ("{{ 'a'" + ".upper()" * 98 + " }}", "A"),
        ("{{ " + "(1 or (1 and " * 30 + "1" + "))" * 30 + " }}", "1"),
        ("{{ " + "(" * 60 + "1" + " == 1)" * 60 + " }}", "True"),
    ],
)
def test_chains_are_as_long_as_in_jinja2(
    renderer: TemplateRenderer, source: str, text: str
) -> None:
    # Each length of the first five is the longest that Python compiles of Jinja2's own code.
    assert renderer.render(source, {"data": {}}, strict=False) == text


def test_long_path_is_looked_up_as_a_short_one(renderer: TemplateRenderer) -> None:
    data: JsonObject = {"items": 1}
    for _ in range(40):
        data = {"items": data}

    text = renderer.render("{{ d" + ".items" * 41 + " }}", {"d": data}, strict=True)

    assert text == "1"
