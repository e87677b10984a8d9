"""Layouts, imports and loops give the text that Jinja2 gives, over generated templates."""

import random
from typing import Final

import pytest
from jinja2 import DictLoader, Environment

from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.renderer import TemplateRenderer

IDS: Final = ["tpl_01" + letter * 24 for letter in "ABCD"]
_LAST: Final = len(IDS) - 1
_PLAIN: Final = (
    "text",
    "{{ v }}",
    "{{ x }}",
    "{{ '<' ~ v }}",
    "{% set x = v|default(0) + 1 %}{{ x }}",
    "{% set y %}<{{ v }}>{% endset %}{{ y }}",
    "{% with v = 7 %}{{ v }}{% endwith %}",
    "{% filter upper %}ab{{ v }}{% endfilter %}",
    "{% do [1].index(1) %}",
)
_OF_ANOTHER: Final = (
    "{{% include '{}' %}}",
    "{{% import '{}' as m %}}{{{{ m.mac(3) }}}}",
    "{{% import '{}' as m with context %}}{{{{ m.mac(4) }}}}",
    "{{% from '{}' import mac as k %}}{{{{ k('<') }}}}",
)


class _Writer:
    """Writer of four templates, each of which uses only later ones."""

    def __init__(self, seed: int) -> None:
        self._choices = random.Random(seed)  # noqa: S311 -- it need not be secret

    def templates(self) -> dict[str, str]:
        return {name: self._template(level) for level, name in enumerate(IDS)}

    def _template(self, level: int) -> str:
        has_layout = level < _LAST and self._choices.random() < 0.7
        layout = f"{{% extends '{self._later(level)}' %}}" if has_layout else ""
        parts = [layout, "{% macro mac(a) %}[{{ a }}{{ v }}]{% endmacro %}", self._body(level)]
        for name in self._choices.sample("abcd", self._choices.randint(1, 4)):
            scope = self._choices.choice(("", " scoped"))
            inner = self._body(level) + ("{{ super() }}" if has_layout else "")
            parts += [f"{{% block {name}{scope} %}}{inner}{{% endblock %}}", self._body(level)]
        return "".join(parts)

    def _body(self, level: int, depth: int = 0) -> str:
        return "".join(self._part(level, depth) for _ in range(self._choices.randint(1, 3)))

    def _part(self, level: int, depth: int) -> str:
        kind = self._choices.randint(0, 5)
        if kind == 0 and depth < 2:
            tag = self._choices.choice(("break", "continue"))
            inner = self._body(level, depth + 1)
            return (
                f"{{% for i in range(3) %}}{inner}{{{{ loop.index }}}}"
                f"{{% if i == 1 %}}{{% {tag} %}}{{% endif %}}{{{{ i }}}}{{% endfor %}}"
            )
        if kind == 1 and level < _LAST:
            return self._choices.choice(_OF_ANOTHER).format(self._later(level))
        return self._choices.choice(_PLAIN)

    def _later(self, level: int) -> str:
        return IDS[self._choices.randint(level + 1, _LAST)]


@pytest.fixture(scope="module")
def renderer() -> TemplateRenderer:
    return TemplateRenderer()


@pytest.mark.parametrize("seed", range(40))
def test_text_is_that_of_jinja2(renderer: TemplateRenderer, seed: int) -> None:
    templates = _Writer(seed).templates()
    jinja2 = Environment(
        autoescape=True,
        loader=DictLoader(templates),
        extensions=["jinja2.ext.do", "jinja2.ext.loopcontrols"],
    )

    expected = jinja2.get_template(IDS[0]).render(v=2)
    text = renderer.render(templates[IDS[0]], {"v": 2}, strict=False, includes=Includes(templates))

    assert text == expected
