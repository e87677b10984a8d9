"""Layouts and shared macros: `extends`, `import` and `from` of templates by their ids."""

import itertools

import pytest

from chalicelib.core.json import JsonObject
from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.includes import Includes, collect_includes
from chalicelib.engine.templating.renderer import TemplateRenderer
from chalicelib.engine.templating.runtime import ImportedModule
from tests.unit.engine.templating.test_includes import NONE, A, B, Workspace, tpl

DATA: JsonObject = {"name": "Ana <b>", "yes": True, "rows": [1, 2, 3]}
LAYOUT = "<{% block title %}T{% endblock %}|{% block body %}layout {{ name }}{% endblock %}>"
LAYOUT_X = "{% block x %}{% endblock %}"
MACROS = (
    "{% macro m(x) %}[{{ x }}{{ name }}]{% endmacro %}{% set v = 7 %}{% set _p = 8 %}"
    "{% macro _q() %}{% endmacro %}printed nowhere"
)


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


def _render(renderer: TemplateRenderer, source: str, **templates: str) -> str | TemplateFailure:
    for letter in "ABCN":
        source = source.replace(f"${letter}", tpl(letter))
        templates = {k: v.replace(f"${letter}", tpl(letter)) for k, v in templates.items()}
    found = collect_includes([source], Workspace(**templates).find)
    return renderer.render(source, DATA, strict=False, includes=found)


def _fault(renderer: TemplateRenderer, source: str, **templates: str) -> TemplateFailure:
    fault = _render(renderer, source, **templates)
    assert isinstance(fault, TemplateFailure), fault
    return fault


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("{% extends '$A' %}", "<T|layout Ana &lt;b&gt;>"),
        ("{% extends '$A' %}-{% block body %}Mine{% endblock %}-", "<T|Mine>"),
        (
            "{%- extends '$A' -%}{% block body %}({{ super() }}){{ self.title() }}{% endblock %}",
            "<T|(layout Ana &lt;b&gt;)T>",
        ),
        (
            "{% extends '$C' %}{% block title %}1{{ super() }}{{ super.super() }}{% endblock %}",
            "<12TT|layout Ana &lt;b&gt;>",
        ),
        ("{% set name = 'Bo' %}{% extends '$A' %}", "<T|layout Bo>"),
        ("{% extends '$A' if yes else '$N' %}", "<T|layout Ana &lt;b&gt;>"),
        ("{% if not yes %}{% extends '$N' %}{% endif %}plain", "plain"),
        (
            "{% extends '$A' %}{% from '$B' import m %}{% block body %}{{ m(1) }}{% endblock %}",
            "<T|[1]>",
        ),
        # Of the layout's own macros, and a template that has the same layout, in a block.
        (
            "{% extends '$A' %}{% block title %}{% include '$A' %}{% endblock %}",
            "<<T|layout Ana &lt;b&gt;>|layout Ana &lt;b&gt;>",
        ),
        (
            "{% extends '$A' %}{% block title %}{% include '$C' %}{% endblock %}",
            "<<2T|layout Ana &lt;b&gt;>|layout Ana &lt;b&gt;>",
        ),
        ("{% import '$B' as b %}{{ b.m(2) }}{{ b.v }}{{ b['v'] }}", "[2]77"),
        ("{% import '$B' as b with context %}{{ b.m(2) }}", "[2Ana &lt;b&gt;]"),
        ("{% from '$B' import m as n, v %}{{ n(3) }}{{ v }}", "[3]7"),
        ("{% from '$B' import m with context %}{{ m('<') }}", "[&lt;Ana &lt;b&gt;]"),
        ("{% from '$B' import gone %}-{{ gone }}-", "--"),
        ("{% for r in rows %}{% import '$B' as b %}{{ b.m(r) }}{% endfor %}", "[1][2][3]"),
        ("{% macro o() %}{% import '$B' as b %}{{ b.m(4) }}{% endmacro %}{{ o() }}", "[4]"),
        ("{% import '$B' as b %}{% call b.m(5) %}{% endcall %}", None),
        ("{% for r in rows %}{% if r == 2 %}{% break %}{% endif %}{{ r }}{% endfor %}", "1"),
        ("{% for r in rows %}{% if r == 2 %}{% continue %}{% endif %}{{ r }}{% endfor %}", "13"),
        ("{% set c = cycler(1, 2) %}{% do c.next() %}{{ c.current }}", "2"),
    ],
)  # fmt: skip
def test_layouts_and_macros(renderer: TemplateRenderer, source: str, expected: str | None) -> None:
    text = _render(
        renderer,
        source,
        A=LAYOUT,
        B=MACROS,
        C="{% extends '$A' %}{% block title %}2{{ super() }}{% endblock %}",
    )

    assert text == expected or (expected is None and isinstance(text, TemplateFailure))


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        ("{% extends '$A' %}\n{% block body %}{{ 1 / 0 }}{% endblock %}", (2, 20), "division"),
        ("{% for r in rows %}{% extends '$A' %}{% endfor %}", (1, 23), "non top-level"),
        ("{% extends '$A' %}{% extends '$A' %}", (1, 50), "extended multiple times"),
        ("{% import '$B' as b %}{{ b.gone() }}", (1, 54), "no attribute 'gone'"),
        ("{% from '$B' import gone %}{{ gone() }}", (1, 59), "does not export the requested name"),
        ("{% import '$B' as b %}{% set b.v = 1 %}", None, "on non-namespace object"),
        ("{% block a required %}{% endblock %}", (1, 4), "Required block 'a' not found"),
        ("{% from '$B' import __class__ %}", (1, 49), "underline"),
        ("{% extends '$A' %}{% block title %}{{ super.super() }}{% endblock %}", (1, 67), "no par"),
    ],
)  # fmt: skip
def test_error_is_in_the_template_that_runs(
    renderer: TemplateRenderer, source: str, place: tuple[int, int] | None, words: str
) -> None:
    fault = _fault(renderer, source, A=LAYOUT, B=MACROS)

    assert words in fault.message
    assert "In the template" not in fault.message
    assert place in {None, (fault.line, fault.column)}


@pytest.mark.parametrize(
    ("source", "other", "place"),
    [
        ("{% extends '$A' %}", "a\n{{ 1 / 0 }}", (2, 4)),
        ("{% extends '$A' %}", "a\n{% if %}", (2, 7)),
        ("{% import '$A' as a %}", "{{ 1 / 0 }}", (1, 4)),
        ("{% import '$A' as a %}{{ a.m() }}", "{% macro m() %}\n{{ 1 / 0 }}{% endmacro %}", (2, 4)),
        ("{% extends '$A' %}", "{% block b %}\n {{ 1 / 0 }}{% endblock %}", (2, 5)),
    ],
)  # fmt: skip
def test_error_of_a_layout_or_macro_has_its_position_there(
    renderer: TemplateRenderer, source: str, other: str, place: tuple[int, int]
) -> None:
    fault = _fault(renderer, f"first\n\n{source}", A=other)

    assert fault.message.startswith(f"In the template {A}: ")
    assert (fault.line, fault.column) == place


@pytest.mark.parametrize(
    ("a", "b", "closing"),
    [
        ("{% extends '$A' %}", "", A),
        ("{% extends '$B' %}", "{% extends '$A' %}", B),
        ("{% include '$B' %}", "{% extends '$B' %}", B),
        ("{% import '$B' as b %}", "{% import '$A' as a %}", None),
        ("{% extends '$B' %}", "{% include '$A' %}", None),
        ("{% extends '$B' %}", "{% import '$A' as a %}", None),
        ("{% extends '$B' %}{% block x %}{% include '$A' %}{% endblock %}", LAYOUT_X, None),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "tag", ["{% extends '$A' %}", "{% include '$A' %}", "{% import '$A' as a %}"]
)
def test_circles_end(
    renderer: TemplateRenderer, tag: str, a: str, b: str, closing: str | None
) -> None:
    fault = _fault(renderer, tag, A=a, B=b)

    assert fault.code == "template_runtime_error"
    assert "A template cannot be part of itself: " in fault.message
    assert closing is None or fault.message.startswith(f"In the template {closing}: ")


@pytest.mark.parametrize("tag", ["{{% extends '{}' %}}", "{{% import '{}' as m %}}"])
def test_depth_is_bounded(renderer: TemplateRenderer, tag: str) -> None:
    letters = "ABCDEFGHJKMNPQRST"
    chain = {"T": "end"}
    for outer, inner in itertools.pairwise(letters):
        chain[outer] = tag.format(tpl(inner))

    assert isinstance(_render(renderer, tag.format(tpl("B")), **chain), str)
    assert "16 deep" in _fault(renderer, tag.format(tpl("A")), **chain).message


def test_other_templates_are_found_by_every_tag() -> None:
    workspace = Workspace(A=f"{{% import '{B}' as b %}}", B="b")

    found = collect_includes(
        [f"{{%- extends '{A}' %}}", f"{{% from\n'{NONE}' import a %}}"], workspace.find
    )

    assert dict(found.sources) == workspace.templates
    assert list(found.problems) == [NONE]


@pytest.mark.parametrize(
    "read",
    [
        "b.__class__",
        "b.__dict__",
        "b['__dict__']",
        "b.__init__.__globals__",
        "b._p",
        "b._q",
        "b._advice",
        "b.__name__",
        "b|attr('__class__')",
        "[b]|map(attribute='__class__')|first",
        "'{0.__class__}'.format(b)",
        "b.m._func",
        "b.m.__globals__",
        "self._TemplateReference__context",
        "self.title._context",
        "self.title._stack",
        "self.title.name",
        "super._context",
        "super._stack",
        "super.__call__",
        "super.super.name",
    ],
)
def test_no_attribute_of_the_service_is_accessible(renderer: TemplateRenderer, read: str) -> None:
    source = (
        "{% extends '$A' %}{% import '$B' as b %}"
        f"{{% block title %}}{{{{ {read} }}}}{{{{ super }}}}{{% endblock %}}"
    ).replace("{{ super }}", "{{ super() }}")

    assert _render(renderer, source, A=LAYOUT, B=MACROS) == "<T|layout Ana &lt;b&gt;>"


def test_imported_module_has_no_attribute_of_its_own() -> None:
    # Compiled code of `from` reads names with Python's getattr, and none may begin with `_`.
    assert [name for name in dir(ImportedModule(None, {})) if not name.startswith("_")] == []


def test_import_sees_no_variable_of_the_importing_template(renderer: TemplateRenderer) -> None:
    source = "{% set secret = 1 %}{% import '$A' as a %}{{ a.v }}{{ a.w is defined }}"

    assert _render(renderer, source, A="{% set v = [secret, name, self.x]|join %}") == "False"


def test_runs_share_no_module(renderer: TemplateRenderer) -> None:
    source = "{% import '$A' as a %}{% do a.c.next() %}{{ a.c.current }}"
    counter = "{% set c = cycler(1, 2, 3) %}"

    assert _render(renderer, source, A=counter) == "2"
    assert _render(renderer, source, A=counter) == "2"
    # The same id with another source, as in another workspace.
    other = _render(renderer, source, A="{% set c = cycler('x', 'y') %}")
    assert other == "y"


def test_layout_is_compiled_for_the_escaping_of_its_run(renderer: TemplateRenderer) -> None:
    found = Includes({A: LAYOUT})
    source = f"{{% extends '{A}' %}}"

    plain = renderer.render(source, DATA, strict=False, escape=False, includes=found)
    html = renderer.render(source, DATA, strict=False, escape=True, includes=found)

    assert (plain, html) == ("<T|layout Ana <b>>", "<T|layout Ana &lt;b&gt;>")
