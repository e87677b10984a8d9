"""Values without a text: one error, however a template prints them."""

import re

import pytest

from chalicelib.engine.templating.failures import TemplateFailure, runtime_failure
from chalicelib.engine.templating.fuel import FuelMeter
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.loader import TemplateLoader
from chalicelib.engine.templating.methods import Method
from chalicelib.engine.templating.renderer import TemplateRenderer


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a'.join }}",
        "{{ {}.items }}",
        "{{ lipsum }}",
        "{{ range }}",
        "{{ [1]|map('string') }}",
        "{{ cycler(1) }}",
        "{{ joiner() }}",
        "{{ namespace(a=1) }}",
        "{{ [1]|reverse|string }}",
        "{{ '%s' % 'a'.join }}",
        "{{ '%s' % {'a': ['a'.join]} }}",
        "{{ ['a'.join] }}",
        "{{ {'a': 'a'.join} }}",
        "{{ 'a'.join ~ '' }}",
        "{{ ['a'.join]|join }}",
        "{{ '{}'.format('a'.join) }}",
        "{{ '{!r}'.format('a'.join) }}",
        "{{ '{0.join}'.format('a') }}",
        "{{ '%s'|format('a'.join) }}",
        "{{ {'a': 'a'.join}|xmlattr }}",
        "{{ 'x'|replace('x', 'a'.join) }}",
        *(
            "{{ 'a'.join|" + name + " }}"
            for name in ("string", "e", "safe", "upper", "pprint", "trim", "urlencode")
        ),
        "{{ ([1]|map('string'))|string }}",
        "{{ [[1]|map('string')] }}",
        "{{ [dict] }}",
        "{{ cycler|string }}",
        "{{ [cycler(1), joiner()] }}",
        "{% macro m() %}{% endmacro %}{{ m|string }}",
        "{% macro m() %}{% endmacro %}{{ [m] }}",
        "{% macro m() %}{{ [caller] }}{% endmacro %}{% call m() %}{% endcall %}",
        "{% block b %}{% endblock %}{{ [self.b] }}",
        "{% for x in [1] %}{{ [loop.cycle] }}{% endfor %}",
        *(
            "{% for x in [1] %}{{ " + printed + " }}{% endfor %}"
            for printed in ("loop", "loop ~ ''", "[loop]", "loop|string", "'%s' % loop")
        ),
        *(
            "{{ " + printed + " }}"
            for value in ("self", "namespace(a=1)", "{}.keys()", "{}.items()", "{'a': 1}.values()")
            for printed in (value, f"{value} ~ ''", f"[{value}]", f"{value}|string", f"({value},)")
        ),
        "{{ '{}'.format(namespace(a=1)) }}",
        "{% autoescape gone %}{{ self ~ '' }}{% endautoescape %}",
        "{% import 'tpl_01AAAAAAAAAAAAAAAAAAAAAAAA' as m %}{{ m }}",
        "{% import 'tpl_01AAAAAAAAAAAAAAAAAAAAAAAA' as m %}{{ [m]|join }}",
        "{% extends 'tpl_01AAAAAAAAAAAAAAAAAAAAAAAA' %}{% block a %}\n{{ super }}{% endblock %}",
    ],
)
@pytest.mark.parametrize("escape", [True, False])
def test_non_values_cannot_be_printed(
    renderer: TemplateRenderer, source: str, *, escape: bool
) -> None:
    includes = Includes({"tpl_01AAAAAAAAAAAAAAAAAAAAAAAA": "{% block a %}{% endblock %}"})

    fault = renderer.render(f"a\n{source}", {}, strict=False, escape=escape, includes=includes)

    assert isinstance(fault, TemplateFailure), fault
    assert fault.code == "template_runtime_error"
    assert "cannot be printed" in fault.message
    assert fault.line == 2 + source.count("\n")
    assert not re.search("0x|object at|Metered|Unprintable|chalicelib|jinja2", fault.message)


def test_error_about_a_function_has_a_message() -> None:
    function = Method(len, FuelMeter())

    failure = runtime_failure(KeyError(function), TemplateLoader())

    assert "cannot be printed" in failure.message
