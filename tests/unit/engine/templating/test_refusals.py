"""Refusals of what cannot be compiled or called: in words of the template, at its place."""

import itertools
import re
from typing import TYPE_CHECKING

import pytest

from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.includes import Includes
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


def _tpl(letter: str) -> str:
    return "tpl_01" + letter * 24


A, B, C = map(_tpl, "ABC")


def _compile(
    renderer: TemplateRenderer, source: str, templates: dict[str, str]
) -> str | TemplateFailure:
    """Compile as publishing does: `$A` is the id of the template A, nothing is published as N."""

    def with_ids(text: str) -> str:
        return re.sub(r"\$([A-Z])", lambda match: _tpl(match[1]), text)

    includes = Includes(
        {_tpl(letter): with_ids(text) for letter, text in templates.items()},
        {_tpl("N"): "The template N is not published."},
    )
    return renderer.render(with_ids(source), {}, strict=False, compile_only=True, includes=includes)


@pytest.mark.parametrize(
    ("source", "told", "line"),
    [
        ("a\n{% include '$N' %}", "is not published. Include a published", 2),
        ("{% extends '$N' %}", "is not published. Name a published", 1),
        ("{% from '$N' import m %}", "is not published", 1),
        ("{% include ['$N'] %}", "is not published", 1),
        ("{% block b %}{% with x = 1 %}{% include '$N' %}{% endwith %}{% endblock %}", "is not", 1),
        ("{% include '$A' %}", f"In the template {A}: No filter named 'shout'", 3),
        ("{% extends '$B' %}", f"part of itself: {B} > {C} > {B}", 1),
        ("{{ n|shout }}", "No filter named 'shout'", 1),
    ],
)
def test_compilation_finds_what_fails_in_every_run(
    renderer: TemplateRenderer, source: str, told: str, line: int
) -> None:
    fault = _compile(
        renderer,
        source,
        {"A": "\n\n{{ n|shout }}", "B": "{% include '$C' %}", "C": "{% include '$B' %}"},
    )

    assert isinstance(fault, TemplateFailure)
    assert told in fault.message
    assert (fault.code, fault.line) == (RUNTIME, line)


@pytest.mark.parametrize(
    "source",
    [
        "{% include '$N' ignore missing %}",
        "{% include ['$N', '$C'] %}",
        "{% include '$N' if n else '$C' %}",
        "{% if n %}{% include '$N' %}{% endif %}",
        "{% for n in m %}{% include '$N' %}{% endfor %}",
        "{% macro m() %}{% include '$N' %}{% endmacro %}",
        "{# {% include '$N' %} #}",
        "{% raw %}{% include '$N' %}{% endraw %}",
        "{% extends '$C' %}{% include '$N' %}",
        "{% extends '$A' %}{% block b %}{% endblock %}",
        "{% extends '$C' %}{% block without_place %}{% include '$N' %}{% endblock %}",
        "{% include '$B' %}",
        "{{ undefined.value }}",
    ],
)
def test_compilation_leaves_what_may_not_run(renderer: TemplateRenderer, source: str) -> None:
    templates = {
        "A": "{% block b %}{% include '$N' %}{% endblock %}",
        "B": "{% if nested %}{% include '$B' %}{% endif %}",
        "C": "c",
    }

    assert _compile(renderer, source, templates) == ""


def test_compilation_knows_how_deep_includes_may_be(renderer: TemplateRenderer) -> None:
    chain = {"T": "end"}
    for outer, inner in itertools.pairwise("ABCDEFGHJKMNPQRST"):
        chain[outer] = f"{{% include '${inner}' %}}"

    assert _compile(renderer, "{% include '$B' %}", chain) == ""
    fault = _compile(renderer, "{% include '$A' %}", chain)

    assert isinstance(fault, TemplateFailure)
    assert "16 deep" in fault.message
