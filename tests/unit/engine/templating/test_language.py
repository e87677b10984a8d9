"""Template language: features and limits."""

from typing import Any

import pytest

from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.renderer import TemplateRenderer


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


def _text(renderer: TemplateRenderer, source: str, **data: Any) -> str:
    result = renderer.render(source, data, strict=False)
    assert isinstance(result, str), result
    return result


def _fault(
    renderer: TemplateRenderer, source: str, *, strict: bool = False, **data: Any
) -> TemplateFailure:
    result = renderer.render(source, data, strict=strict)
    assert isinstance(result, TemplateFailure), result
    return result


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{{ text }}", "a &lt; b"),
        ("{{ text|safe }}", "a < b"),
        ("{{ order.items }}", "[1, 2, 3]"),
        ("{% for key, value in order.items2.items() %}{{ key }}={{ value }}{% endfor %}", "k=v"),
        (
            "{% for n in order.items %}{{ loop.index }}/{{ loop.length }} {% endfor %}",
            "1/3 2/3 3/3 ",
        ),
        (
            "{% for n in order.items if n is odd %}{{ n }}{{ ',' if not loop.last }}{% endfor %}",
            "1,3",
        ),
        ("{% for n in order.items %}{{ loop.cycle('a', 'b') }}{% endfor %}", "aba"),
        ("{% for n in none_here %}x{% else %}nothing{% endfor %}", "nothing"),
        ("{% for n in tree recursive %}{{ n.id }}{{ loop(n.sub) }}{% endfor %}", "12"),
        (
            "{% macro m(a, b=2) %}[{{ a }}{{ b }}]{% endmacro %}{{ m(1) }}{{ m(1, b=3) }}",
            "[12][13]",
        ),
        ("{% macro m() %}({{ caller() }}){% endmacro %}{% call m() %}in{% endcall %}", "(in)"),
        (
            (
                "{% set ns = namespace(sum=0) %}{% for n in [1, 2] %}{% set ns.sum = ns.sum + n %}"
                "{% endfor %}{{ ns.sum }}"
            ),
            "3",
        ),
        ("{% set c = cycler('x', 'y') %}{{ c.next() }}{{ c.next() }}{{ c.current }}", "xyx"),
        (
            "{% for g in rows|groupby('k') %}{{ g.grouper }}:{{ g.list|length }} {% endfor %}",
            "1:2 2:1 ",
        ),
        ("{{ rows|groupby('k')|map(attribute='grouper')|join('-') }}", "1-2"),
        ("{% for g in rows|groupby('k') %}{{ g['list']|length }}{{ g[0] }} {% endfor %}", "21 12 "),
        ("{{ (rows|groupby('k')|first)['gone'] }}{{ (rows|groupby('k')|first)[7] }}", ""),
        ("{{ rows|map(attribute='k')|join('-') }}", "1-2-1"),
        (
            "{% if rows|selectattr('k', 'eq', 9) %}a generator is true{% endif %}",
            "a generator is true",
        ),
        ("{{ '%.2f'|format(2.5) }} {{ '%05d' % 42 }}", "2.50 00042"),
        ("{{ '{:,.2f}'.format(1234.5) }} {{ '{a}{0}'.format(1, a=2) }}", "1,234.50 21"),
        (
            "{{ '<b>{}</b>'|safe }}{{ ('<b>{}</b>'|safe).format('<i>') }}",
            "<b>{}</b><b>&lt;i&gt;</b>",
        ),
        ("{{ text ~ 1 }} {{ 'ab'.upper() }} {{ 'a,b'.split(',')|last }}", "a &lt; b1 AB b"),
        (
            "{{ 7 // 2 }} {{ 7 % 4 }} {{ 2 ** 10 }} {{ -3 + 1.5 }} {{ 3 * 'ab' }}",
            "3 3 1024 -1.5 ababab",
        ),
        ("{{ 1 in order.items and not false or false }} {{ 1 < 2 <= 2 }}", "True True"),
        ("{{ missing }}{{ missing.deeper['still'] }}{{ missing|default('d') }}", "d"),
        ("{{ order['items'][1:] }}{{ 'abc'[-1] }}", "[2, 3]c"),
        ("{% block b %}B{% endblock %}{{ self.b() }}", "BB"),
        ("{{ rows|tojson }}", '[{"k": 1}, {"k": 2}, {"k": 1}]'),
        ("{% autoescape false %}{{ text }}{% endautoescape %}", "a < b"),
        ("{{ range(1000000)|list|length }}", "1000000"),
        (
            (
                "{% set d, e = dict(a=1, b=2, c=3), dict(b=2, a=1) %}"
                "{{ (d.keys() - e.keys())|join }}{{ (d.items() - e.items())|length }}"
                "{{ (d.keys() - ['c'])|join }}{{ e.keys() == dict(a=0, b=0).keys() }}"
                "{{ d.keys() == e.keys() }}{{ e.keys() <= d.keys() }}{{ e.keys() > d.keys() }}"
                "{{ d.values() == d.values() }}"
            ),
            "c1abTrueFalseTrueFalseFalse",
        ),
        (
            (
                "{% set d = dict(a=1, b=2) %}{{ d.keys()|last }}{{ d.items()|length }}"
                "{{ 'a' in d.keys() }}{{ d.values()|list }}"
                "{% for k, v in d.items() %}{{ loop.revindex }}{{ v }}{% endfor %}"
            ),
            "b2True[1, 2]2112",
        ),
    ],
)
def test_language(renderer: TemplateRenderer, source: str, expected: str) -> None:
    data = {
        "text": "a < b",
        "order": {"items": [1, 2, 3], "items2": {"k": "v"}},
        "rows": [{"k": 1}, {"k": 2}, {"k": 1}],
        "tree": [{"id": 1, "sub": [{"id": 2, "sub": []}]}],
    }

    assert _text(renderer, source, **data) == expected


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__ }}",
        "{{ ''.__class__.__mro__[1].__subclasses__ }}",
        "{{ [].__class__ }}{{ {}['__class__'] }}{{ 1 .__class__ }}",
        "{{ lipsum.__globals__ }}{{ range.__call__ }}{{ cycler.__init__.__globals__ }}",
        "{{ dict.__base__ }}{{ dict['x'].__origin__ }}{{ namespace.__init__ }}",
        "{{ joiner().__class__ }}{{ joiner()._Joiner__used }}",
        "{{ self._TemplateReference__context }}{{ self.__class__ }}{{ self['__class__'] }}",
        "{% macro m() %}{% endmacro %}{{ m._func }}{{ m.__call__ }}{{ m._environment }}",
        "{% for x in [1] %}{{ loop._recurse }}{{ loop._meter }}{{ loop['__class__'] }}{% endfor %}",
        "{{ ''|attr('__class__') }}{{ [0]|map(attribute='__class__')|first }}",
        "{{ '{0.__class__}'.format(1) }}{{ '{0.upper}'.format(1) }}",
        "{{ ['{0.__class__}']|map(attribute='format')|first }}",
        "{{ ''.format_map }}{{ ''.encode }}{{ ''.translate }}{{ [].append }}{{ {}.update }}",
        "{{ environment }}{{ context }}{{ charged }}{{ resolve }}{{ missing }}",
        "{{ namespace(a=1).__dict__ }}{{ namespace(a=1)._Namespace__attrs }}",
    ],
)
def test_no_python_attribute_is_accessible(renderer: TemplateRenderer, source: str) -> None:
    assert _text(renderer, source) == ""


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__() }}",
        "{{ ''.__class__.__mro__[1].__subclasses__()[0] }}",
        "{{ rows.append(1) }}",
        "{{ text() }}",
        "{{ ''.format_map({}) }}",
        "{{ (rows|map(attribute='format')|first)('x') }}",
        "{{ {}.pop('x') }}",
        "{{ cycler.next() }}",
    ],
)
def test_unlisted_functions_cannot_be_called(renderer: TemplateRenderer, source: str) -> None:
    assert _fault(renderer, source, rows=[1], text="t").code == "template_runtime_error"


@pytest.mark.parametrize(
    "source",
    [
        "{{ 'a' * 10**9 }}",
        "{{ 10**9 * [0] }}",
        "{{ 9 ** (9 ** 9) }}",
        "{{ '%2000000000d' % 1 }}",
        "{{ '%*d' % (2000000000, 1) }}",
        "{{ '%(a)999999999s' % {'a': 1} }}",
        "{{ '{:>2000000000}'.format(1) }}",
        "{{ '{:{w}}'.format(1, w=2000000000) }}",
        "{{ range(10**30)|list }}",
        "{{ range(-5, 10**9)|sum }}",
        "{{ lipsum(n=10**9) }}",
        "{{ lipsum(1, True, 20, 10**9) }}",
        "{% for a in range(5000) %}{% for b in range(5000) %}{% endfor %}{% endfor %}",
        "{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}",
        ("{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ b() }}"),
        "{% for x in tree recursive %}{{ loop(tree) }}{% endfor %}",
        "{% for i in range(30000) %}{{ 'x' * 1000 }}{% endfor %}",
        "{% for i in range(11000) %}{{ 'ä' * 1000 }}{% endfor %}",
        (
            "{% set ns = namespace(s='aaaa') %}{% for i in range(99) %}{% set ns.s = ns.s ~ ns.s %}"
            "{% endfor %}"
        ),
        (
            "{% set ns = namespace(s=[1]) %}{% for i in range(99) %}{% set ns.s = ns.s + ns.s %}"
            "{% endfor %}"
        ),
        "{% for i in range(99999) %}{{ ('x' * 100000) is eq 'y' }}{% endfor %}",
        "{{ range(4000000)|map('string')|map('upper')|list|length }}",
        "{{ range(3000000)|sort|reverse|list|length }}",
    ],
)
def test_bombs_run_out_of_fuel(renderer: TemplateRenderer, source: str) -> None:
    assert _fault(renderer, source, tree=[1]).code == "template_fuel_exhausted"
    assert _text(renderer, "{{ 1 + 1 }}") == "2"


def test_constants_are_not_computed_while_compiling(renderer: TemplateRenderer) -> None:
    source = "{% if false %}{{ 'x'.center(99) }}{{ '%2000000000d'|format(1) }}{% endif %}ok"

    assert _text(renderer, source) == "ok"


def test_strict_makes_undefined_values_errors(renderer: TemplateRenderer) -> None:
    fault = _fault(renderer, "{{ a }}\n{{ a.b }}", strict=True, a={})

    assert (fault.code, fault.line, fault.column) == ("template_runtime_error", 2, 4)
    assert fault.message == "'dict object' has no attribute 'b'"


def test_a_range_of_a_million_is_within_the_budget(renderer: TemplateRenderer) -> None:
    assert _text(renderer, "{% for i in range(4000000) %}{% endfor %}") == ""


def test_equal_input_gives_equal_bytes(renderer: TemplateRenderer) -> None:
    source = "{{ lipsum() }}{{ range(100)|random }}"

    assert _text(renderer, source) == _text(renderer, source) == _text(TemplateRenderer(), source)


def test_lone_surrogates_become_replacement_characters(renderer: TemplateRenderer) -> None:
    assert _text(renderer, "{{ a }}", a="\ud800x") == "\ufffdx"


def test_data_override_methods_of_the_same_name(renderer: TemplateRenderer) -> None:
    assert _text(renderer, "{{ a.items }} {{ a.get }}", a={"items": 1, "get": 2}) == "1 2"


def test_functions_and_helpers_work(renderer: TemplateRenderer) -> None:
    source = (
        "{% macro m(x) %}<{{ x }}>{{ caller() if caller else '' }}{% endmacro %}"
        "{% block b %}b{% endblock %}{{ self.b() }}{{ m(1) }}{% call m(2) %}c{% endcall %}"
        "{% set c = cycler(1, 2) %}{{ c.next() }}{{ c.current }}"
        "{% set j = joiner('-') %}{{ j() }}{{ j() }}"
        "{% set n = namespace(a=1) %}{% set n.a = n.a + 1 %}{{ n.a }}{{ dict(a=3).a }}{{ m.name }}"
        "{{ [1, 2]|reverse|map('string')|join('+') }}{{ [1]|map('string')|first }}"
    )

    assert _text(renderer, source) == "bb<1><2>c12-23m2+11"
