"""Other template languages: a template that does not compile is answered with Jinja2's form."""

from typing import Final

import pytest

from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.renderer import TemplateRenderer

# The marker shows the position, which is that of Jinja2's own message.
MARK: Final = "«"
MISTAKES: Final = [
    ("{{«#each lines}}{{this.x}}{{/each}}", "{% for item in lines %} … {% endfor %}"),
    ("{{«#each lines}}", "{{ item.name }}"),
    ("{{«#each }}", "{% for item in items %}"),
    ("{{«#if paid}}a{{else}}b{{/if}}", "{% if paid %} … {% else %} … {% endif %}"),
    ("{{«#unless paid}}a{{/unless}}", "{% if not paid %} … {% endif %}"),
    ("{{«#with buyer}}{{name}}{{/with}}", "{% with item = buyer %}"),
    ("{{«#lines}}{{.}}{{/lines}}", "{% for item in lines %}"),
    ("{{«^lines}}none{{/lines}}", "{% if not lines %}"),
    ("{% if paid %}{{«/if}}", "{% endif %}"),
    ("{% for x in lines %}{{«/each}}", "{% endfor %}"),
    ("{{«> header}}", '{% include "tpl_…" %}'),
    ("{{«! a comment }}", "{# … #}"),
    ("{{«& text}}", "{{ text|safe }}"),
    ("{{{text«}}}", "{{ text|safe }}"),
    ("{{«@index}}", "{{ loop.index0 }}"),
    ("{{«@last}}", "{{ loop.last }}"),
    ("{{«../title}}", "{{ title }}"),
    ("{{ «$title }}", "{{ title }}"),
    ("{% «assign x = 1 %}", "{% set x = 1 %}"),
    ("{% «unless paid %}a{% endunless %}", "{% if not x %}"),
    ("{% if a %}{% «elsif b %}{% endif %}", "{% elif … %}"),
    ("{% if a %}{% else «if b %}{% endif %}", "{% elif … %}"),
    ("{% if a %}{% «elseif b %}{% endif %}", "{% elif … %}"),
    ("{% for x in lines «limit: 3 %}{% endfor %}", "{% for item in lines[:3] %}"),
    ("{% for x in lines «reversed %}{% endfor %}", "{% for item in lines|reverse %}"),
    ("{% for x «of lines %}{% endfor %}", "{% for x in lines %}"),
    ("{{ day | date«: '%Y' }}", '|date("d.M.yyyy")'),
    ("{{ text | truncate«: 30 }}", "|truncate(…)"),
    ("{% «case x %}{% when 1 %}{% endcase %}", "{% if x == 1 %}"),
    ("{% «capture x %}a{% endcapture %}", "{% set x %} … {% endset %}"),
    ("{% «comment %}a{% endcomment %}", "{# … #}"),
    ("{% «foreach lines as x %}", "{% for item in items %}"),
    ("{% if a %}{% «end %}", "{% endif %}"),
    ("{% if a «&& b %}{% endif %}", "a and b"),
    ("{% if a |«| b %}{% endif %}", "a or b"),
    ("{% if «!a %}{% endif %}", "not a"),
    ("{{ a «? 1 : 2 }}", "a if condition else b"),
    ("{% if a «= 1 %}{% endif %}", "a == b"),
    ("<%= name %>{{«", "{{ x }}"),
    ("{{ text|«upcase }}", "|upper"),
    ("{{ text|«curency }}", '|money("EUR")'),
    ("{{ text|«uper }}", "Did you mean upper?"),
    ("{% if a %}{{ «text|uper }}{% endif %}", "Did you mean upper?"),
    ("{% «if a is evn %}{% endif %}", "Did you mean even?"),
    ("{% «fro x in lines %}{% endfor %}", "Did you mean for?"),
    ("{% «inclde 'tpl_1' %}", "Did you mean include?"),
    ("{% «endfor %}", "No block is open"),
]


def failure_of(source: str) -> TemplateFailure:
    failure = TemplateRenderer().render(source, {"a": 1, "text": "x", "lines": []}, strict=False)
    assert isinstance(failure, TemplateFailure), failure
    return failure


@pytest.mark.parametrize(("marked", "form"), MISTAKES, ids=[each for each, _ in MISTAKES])
def test_failure_has_jinja2s_form_and_its_place(marked: str, form: str) -> None:
    before, _, after = marked.partition(MARK)

    failure = failure_of(f"<p>\n{before}{after}")

    assert form in failure.message
    assert (failure.line, failure.column) == (2, len(before) + 1)


def test_advice_is_about_the_faulty_tag_alone() -> None:
    literal = "{% raw %}{{#each x}}{% endraw %}"

    assert "Handlebars" not in failure_of(literal + "{{ 1 + }}").message
    assert "Liquid" not in failure_of("{{ {'a|b: c': 1}['x'] }}{% if %}").message


def test_advice_is_bounded() -> None:
    long = "x" * 100_000

    for source in (f"{{{{#each {long}}}}}", f"{{% {long} %}}", f"{{{{ a|{long} }}}}"):
        assert len(failure_of(source).message) < 2_000
