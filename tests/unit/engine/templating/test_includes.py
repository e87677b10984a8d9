"""Includes: shared data, no cycles, and errors at their origin."""

import itertools
from collections.abc import Mapping
from time import process_time
from typing import Any

import pytest

from chalicelib.core.errors import NotFound
from chalicelib.engine.templating import includes as bounds
from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.includes import Includes, collect_includes
from chalicelib.engine.templating.renderer import TemplateRenderer

DATA: Mapping[str, Any] = {"name": "Ana <b>", "rows": [{"n": 1}, {"n": 2}], "yes": True}


def tpl(letter: str) -> str:
    """Return a recognizable template id."""
    return "tpl_01" + letter * 24


RUNTIME = "template_runtime_error"
A, B, C, NONE = (tpl(letter) for letter in "ABCN")


class Workspace:
    """Templates by letter; missing ones are not published."""

    def __init__(self, **templates: str) -> None:
        self.templates = {tpl(letter): text for letter, text in templates.items()}
        self.asked: list[str] = []

    def find(self, template_id: str) -> str:
        self.asked.append(template_id)
        if template_id not in self.templates:
            raise NotFound("version_not_found", f"The template {template_id} is not published.")
        return self.templates[template_id]


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


def _render(
    renderer: TemplateRenderer,
    source: str,
    *,
    strict: bool = False,
    escape: bool = True,
    **templates: str,
) -> str | TemplateFailure:
    """Render as the service does: the letters A, B and C in a source become ids."""
    for letter in "ABCN":
        source = source.replace(f"${letter}", tpl(letter))
        templates = {k: v.replace(f"${letter}", tpl(letter)) for k, v in templates.items()}
    found = collect_includes([source], Workspace(**templates).find)
    travelled = Includes.from_json(found.to_json())
    return renderer.render(source, DATA, strict=strict, escape=escape, includes=travelled)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<{% include '$A' %}>", "<a Ana &lt;b&gt;>"),
        ('<{%- include\n\t"$A" -%}   >', "<a Ana &lt;b&gt;>"),
        ("{% for row in rows %}{% include '$B' %}{% endfor %}", "1/1;2/2;"),
        ("{% set name = 'Bo' %}{% include '$A' %}", "a Bo"),
        ("{% with name = 'Bo' %}{% include '$A' %}{% endwith %}", "a Bo"),
        ("{% include '$A' without context %}", "a "),
        ("{% include '$N' ignore missing %}ok", "ok"),
        ("{% include ['$N', '$A'] %}", "a Ana &lt;b&gt;"),
        ("{% include ['$N'] ignore missing %}ok", "ok"),
        ("{% include '$A' if yes else '$N' %}", "a Ana &lt;b&gt;"),
        ("{% include '$N' if 4 % 2 else '$A' %}", "a Ana &lt;b&gt;"),
        ("{% if not yes %}{% include '$N' %}{% endif %}ok", "ok"),
        ("{% macro m() %}{% include '$A' %}{% endmacro %}[{{ m() }}]", "[a Ana &lt;b&gt;]"),
        ("{% filter upper %}{% include '$C' %}{% endfilter %}", "C[A ANA &LT;B&GT;]"),
        ("{% set x %}{% include '$A' %}{% endset %}{{ x }}", "a Ana &lt;b&gt;"),
        ("{% include '$A' %} {% include '$C' %}", "a Ana &lt;b&gt; c[a Ana &lt;b&gt;]"),
        ("{# {% include '$N' %} #}{% raw %}{% include '' %}{% endraw %}", "{% include '' %}"),
    ],
)  # fmt: skip
def test_includes(renderer: TemplateRenderer, source: str, expected: str) -> None:
    text = _render(
        renderer,
        source,
        A="a {{ name }}",
        B="{{ row.n }}/{{ loop.index if loop is defined else row.n }};",
        C="c[{% include '$A' %}]",
    )

    assert text == expected


def test_variables_set_by_an_include_stay_local(renderer: TemplateRenderer) -> None:
    included = "{% set name = 'changed' %}{% set secret = 1 %}{% macro m() %}x{% endmacro %}"

    text = _render(
        renderer, "{% include '$A' %}{{ name }}{{ secret }}{{ m is defined }}", A=included
    )

    assert text == "Ana &lt;b&gt;False"


def test_plain_text_includes_plain_text(renderer: TemplateRenderer) -> None:
    assert _render(renderer, "{% include '$A' %}", escape=False, A="{{ name }}") == "Ana <b>"


def test_runs_share_no_state(renderer: TemplateRenderer) -> None:
    dice = "{{ range(1000000)|random }} "
    source = f"{dice}{{% include '$A' without context %}}{dice}"

    assert _render(renderer, source, A=dice) == _render(renderer, source, A=dice)
    assert str(_render(renderer, source, A="other")).split()[1].startswith("other")


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        ("a {% include '$N' %}", (1, 6), f"The template {NONE} is not published. Include a pub"),
        ("a\r\n{% include ['$N', '$N'] %}", (2, 4), f"None of {NONE}, {NONE} is there."),
        ("{% include name %}", (1, 4), "each by its id as a plain string"),
        ("{% include 'tpl_' ~ name %}", (1, 4), "each by its id as a plain string"),
        ("{% include 'header.html' %}", (1, 4), "each by its id as a plain string"),
        ("{% include ['header.html'] ignore missing %}", (1, 4), "by its id as a plain string"),
        ("{% include '../$A' %}", (1, 4), "each by its id as a plain string"),
        ("{% include '$A'|lower %}", (1, 4), "each by its id as a plain string"),
        ("{% include 1 %}", (1, 4), "each by its id as a plain string"),
        ("x {% extends '$N' %}", (1, 6), "is not published. Name a published template"),
        ("{% import '$N' as a %}", (1, 4), "is not published. Name a published template"),
        ("\n{% from '$N' import a %}", (2, 4), "is not published. Name a published template"),
        ("x {% extends name %}", (1, 6), '{% extends "tpl_…" %}'),
        ("{% import 'a.html' as a %}", (1, 4), '{% import "tpl_…" as macros %}'),
        ("{% from ['$A'] ~ '' import a %}", (1, 4), '{% from "tpl_…" import macro %}'),
        ("{% include '\\x74" + A[1:] + "' %}", (1, 4), "write its id as one plain string in"),
        ("{% include '$B' %}{% include 'tpl_' '" + A[4:] + "' %}", (1, 50), "one plain string"),
        ("{% include '$A' '' %}{% include 'tpl_' '" + B[4:] + "' %}", (1, 53), "one plain string"),
        ("{% include '$A' if not yes %}", (1, 4), "evaluated to false and no else"),
    ],
)  # fmt: skip
def test_failed_include_is_reported_at_its_tag(
    renderer: TemplateRenderer, source: str, place: tuple[int, int], words: str
) -> None:
    fault = _render(renderer, source, A="fine", B="{% include '$A' %}")

    assert isinstance(fault, TemplateFailure)
    assert fault.code == "template_runtime_error"
    assert (fault.line, fault.column) == place
    assert words in fault.message
    assert "In the included" not in fault.message


@pytest.mark.parametrize(
    ("included", "code", "place", "excerpt"),
    [
        ("fine\n\t{{ 1 / 0 }}", RUNTIME, (2, 5), "\t{{ 1 / 0 }}"),
        ("{% if %}", "template_syntax_error", (1, 7), "{% if %}"),
        ("\r\n😀 {{ x|nope }}", RUNTIME, (2, 8), "😀 {{ x|nope }}"),
        ("{{ gone.x }}", RUNTIME, (1, 4), "{{ gone.x }}"),
        ("{{ 'a' * 10**9 }}", "template_fuel_exhausted", (1, 4), "{{ 'a' * 10**9 }}"),
        ("{{ " + "9" * 5000 + " }}", "template_syntax_error", (1, 4), None),
        ("{% macro m() %}\n{{ 1 / 0 }}{% endmacro %}{{ m() }}", RUNTIME, (2, 4), None),
        ("{% include 'x' %}", RUNTIME, (1, 4), "{% include 'x' %}"),
    ],
)  # fmt: skip
def test_error_in_an_include_has_its_position_there(
    renderer: TemplateRenderer,
    included: str,
    code: str,
    place: tuple[int, int],
    excerpt: str | None,
) -> None:
    source = "first\n\n\n{% include '$C' %} {{ 1 / 0 }}"

    fault = _render(renderer, source, strict=True, A=included, C="{% include '$A' %}")

    assert isinstance(fault, TemplateFailure)
    assert fault.message.startswith(f"In the template {A}: ")
    assert (fault.code, fault.line, fault.column) == (code, *place)
    assert excerpt in {None, fault.excerpt}


def test_error_after_an_include_is_not_attributed_to_it(renderer: TemplateRenderer) -> None:
    fault = _render(renderer, "{% include '$A' %} {{ 1 / 0 }}", A="1\n2\n3")

    assert isinstance(fault, TemplateFailure)
    assert (fault.line, fault.column) == (1, len(f"{{% include '{A}' %}}") + 5)
    assert "In the included" not in fault.message


def test_include_cycle_is_reported_where_it_closes(renderer: TemplateRenderer) -> None:
    source = "{% include '$A' %}"

    fault = _render(renderer, source, A="a{% include '$B' %}", B="\nb{% include '$A' %}")

    assert isinstance(fault, TemplateFailure)
    assert (fault.code, fault.line, fault.column) == ("template_runtime_error", 2, 5)
    assert fault.message.startswith(
        f"In the template {B}: A template cannot be part of itself: {A} > {B} > {A}."
    )
    closed = _render(
        renderer,
        source,
        A="a{% include '$B' %}",
        B="b{% if not yes %}{% include '$A' %}{% endif %}",
    )
    assert closed == "ab"


def test_one_template_may_be_included_again_and_again(renderer: TemplateRenderer) -> None:
    text = _render(
        renderer, "{% for r in rows * 500 %}{% include '$A' %}{% endfor %}", A="{{ r.n }}"
    )

    assert text == "12" * 500


def test_depth_is_bounded(renderer: TemplateRenderer) -> None:
    letters = "ABCDEFGHJKMNPQRST"
    chain: dict[str, Any] = {"T": "end"}
    for outer, inner in itertools.pairwise(letters):
        chain[outer] = f"{{% include '{tpl(inner)}' %}}"

    deep = _render(renderer, f"{{% include '{tpl('B')}' %}}", **chain)
    deeper = _render(renderer, f"{{% include '{tpl('A')}' %}}", **chain)

    assert deep == "end"
    assert isinstance(deeper, TemplateFailure)
    assert deeper.code == "template_runtime_error"
    assert "16 deep" in deeper.message


def test_every_include_is_looked_up_once() -> None:
    workspace = Workspace(A=f"{{% include '{B}' %}}{{% include '{A}' %}}", B="{{ 1 }}")

    found = collect_includes(
        [f"{{%+ include ['{A}',\n '{NONE}'] ignore missing %}}", f"no tag: include '{C}'"],
        workspace.find,
    )

    assert dict(found.sources) == workspace.templates
    assert dict(found.problems) == {NONE: f"The template {NONE} is not published."}
    assert sorted(workspace.asked) == sorted([A, B, NONE])


def test_number_of_looked_up_includes_is_bounded(
    renderer: TemplateRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_INCLUDED_TEMPLATES", 2)
    source = "{% include '$A' %}{% include '$B' %}{% include '$C' %}"
    for letter in "ABC":
        source = source.replace(f"${letter}", tpl(letter))
    workspace = Workspace(A="a", B="b", C="c")

    found = collect_includes([source], workspace.find)
    fault = renderer.render(source, {}, strict=False, includes=found)

    assert len(workspace.asked) == 2
    assert isinstance(fault, TemplateFailure)
    assert "at most 2 included templates" in fault.message


def test_included_sources_have_a_total_size_limit(
    renderer: TemplateRenderer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounds, "MAX_INCLUDED_CHARACTERS", 9)

    source = f"{{% include '{A}' %}}{{% include '{B}' %}}"
    found = collect_includes([source], Workspace(A="x" * 5, B="x" * 5).find)
    fault = renderer.render(source, {}, strict=False, includes=found)

    assert isinstance(fault, TemplateFailure)
    assert list(found.sources) == [A]
    assert "9 characters in all" in fault.message


@pytest.mark.parametrize(
    "source",
    [
        "{% include " * 200_000,
        "tpl_{% include %" * 200_000,
        "tpl_{% include" + " %" * 1_000_000,
        "tpl_" + "{% include %}" * 200_000,
        "{%" + " " * 2_000_000 + "include",
        "{% include '" + "tpl_0" * 400_000,
        "{% include " + "'" * 2_000_000,
    ],
)
def test_names_are_found_in_linear_time(source: str) -> None:
    begun_s = process_time()

    assert collect_includes([source], Workspace().find) == Includes()

    assert process_time() - begun_s < 3
