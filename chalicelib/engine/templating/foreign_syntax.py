"""Jinja2's form of what other template languages write: advice for templates that do not compile.

Nothing here is asked about a template that compiles.
"""

import re
from collections.abc import Collection, Mapping
from typing import Final

from chalicelib.core.nearest import nearest_name

# The tag around an error is looked for so far before it.
_MAX_BEFORE: Final = 300
_MAX_TAG: Final = 200
_TAG_END: Final = re.compile("}}|%}")
_UNKNOWN_TAG: Final = re.compile(r"Encountered unknown tag '(\w+)'")
_UNKNOWN_NAME: Final = re.compile(r"No (filter|test) named '([\w.]+)'")
_UNKNOWN_CHARACTER: Final = re.compile(r"unexpected (?:char )?'(.+)'$")
_TAGS: Final = (
    *("autoescape", "block", "break", "call", "continue", "do", "elif", "else", "endblock"),
    *("endcall", "endfilter", "endfor", "endif", "endmacro", "endraw", "endset", "endwith"),
    *("extends", "filter", "for", "from", "if", "import", "include", "macro", "raw", "set"),
    "with",
)
# By how the tag begins; groups of the pattern are filled in.
_FORMS: Final[Mapping[re.Pattern[str], str]] = {
    re.compile(pattern): form
    for pattern, form in {
        r"\{\{~?\s*#each\s+([\w.]+)": (
            r"{{#each \1}} … {{/each}} of Handlebars is {% for item in \1 %} … {% endfor %}, and "
            r"{{this.name}} is {{ item.name }}"
        ),
        r"\{\{~?\s*#if\s+([\w.]+)": (
            r"{{#if \1}} … {{else}} … {{/if}} of Handlebars is "
            r"{% if \1 %} … {% else %} … {% endif %}"
        ),
        r"\{\{~?\s*#unless\s+([\w.]+)": (
            r"{{#unless \1}} … {{/unless}} of Handlebars is {% if not \1 %} … {% endif %}"
        ),
        r"\{\{~?\s*#with\s+([\w.]+)": (
            r"{{#with \1}} … {{/with}} of Handlebars is {% with item = \1 %} … {% endwith %}, and "
            r"its names are {{ item.name }}"
        ),
        r"\{\{~?\s*#(?:each|if|unless|with)\b": (
            "a block is written {% for item in items %} … {% endfor %}, or "
            "{% if condition %} … {% endif %}"
        ),
        r"\{\{~?\s*#\s*([\w.]+)": (
            r"{{#\1}} … {{/\1}} of Mustache is {% for item in \1 %} … {% endfor %} for a list, "
            r"and {% if \1 %} … {% endif %} else"
        ),
        r"\{\{~?\s*\^\s*([\w.]+)": (
            r"{{^\1}} … {{/\1}} of Mustache is {% if not \1 %} … {% endif %}"
        ),
        r"\{\{~?\s*/each\b": "{{/each}} of Handlebars is {% endfor %}",
        r"\{\{~?\s*/(if|unless)\b": r"{{/\1}} of Handlebars is {% endif %}",
        r"\{\{~?\s*/with\b": "{{/with}} of Handlebars is {% endwith %}",
        r"\{\{~?\s*/\s*([\w.]+)": r"{{/\1}} of Mustache is {% endfor %} or {% endif %}",
        r"\{\{~?\s*>": '{{> partial}} is {% include "tpl_…" %}, the id of a published template',
        r"\{\{~?\s*!": "a comment is written {# … #}",
        r"\{\{\{\s*([\w.]+)": r"{{{\1}}} of Handlebars is {{ \1|safe }}",
        r"\{\{~?\s*&\s*([\w.]+)": r"{{&\1}} of Mustache is {{ \1|safe }}",
        r"\{\{~?\s*@index": "{{@index}} of Handlebars is {{ loop.index0 }}",
        r"\{\{~?\s*@(first|last)": r"{{@\1}} of Handlebars is {{ loop.\1 }}",
        r"\{\{~?\s*@key": "{{@key}} is {{ key }}, in {% for key, value in object.items() %}",
        r"\{\{~?\s*\.\./([\w.]+)": (
            r"{{../\1}} of Handlebars is {{ \1 }}: a loop sees all names around it"
        ),
        r"\{\{-?\s*\$(\w+)": r"a name has no $: {{ \1 }}",
        r"\{%-?\s*else\s+if\b": "{% else if … %} is {% elif … %}",
        r"\{%-?\s*for\b[^%]*?\bin\s+([\w.]+)\s+(?:limit|offset)\b": (
            r"limit and offset of Liquid are a slice: {% for item in \1[:3] %}"
        ),
        r"\{%-?\s*for\b[^%]*?\bin\s+([\w.]+)\s+reversed\b": (
            r"reversed of Liquid is a filter: {% for item in \1|reverse %}"
        ),
        r"\{%-?\s*for\s+(\w+)\s+of\s+([\w.]+)": r"write {% for \1 in \2 %}",
        r"\{[{%][^{}]*?\|\s*date\s*:": (
            "an argument stands in parentheses, and a pattern is that of CLDR: "
            '{{ day|date("d.M.yyyy") }}'
        ),
        r"\{[{%][^{}]*?\|\s*(\w+)\s*:": r"an argument stands in parentheses: |\1(…)",
    }.items()
}
_UNKNOWN_TAGS: Final[Mapping[str, str]] = {
    "assign": "{% assign x = 1 %} of Liquid is {% set x = 1 %}",
    "capture": "{% capture x %} … {% endcapture %} of Liquid is {% set x %} … {% endset %}",
    "case": "{% case x %} {% when 1 %} of Liquid is {% if x == 1 %} … {% elif x == 2 %}",
    "comment": "{% comment %} … {% endcomment %} of Liquid is {# … #}",
    "cycle": "{% cycle 'a', 'b' %} of Liquid is {{ loop.cycle('a', 'b') }}",
    "decrement": "{% decrement x %} of Liquid is {% set x = x - 1 %}",
    "echo": "{% echo x %} of Liquid is {{ x }}",
    "elseif": "{% elseif … %} is {% elif … %}",
    "elsif": "{% elsif … %} of Liquid is {% elif … %}",
    "end": "{% end %} is {% endif %} or {% endfor %}, by what it ends",
    "endunless": "{% endunless %} of Liquid is {% endif %}",
    "foreach": "a loop is written {% for item in items %} … {% endfor %}",
    "increment": "{% increment x %} of Liquid is {% set x = x + 1 %}",
    "render": '{% render "…" %} of Liquid is {% include "tpl_…" %}, the id of a template',
    "unless": "{% unless x %} … {% endunless %} of Liquid is {% if not x %} … {% endif %}",
    "verbatim": "{% verbatim %} … {% endverbatim %} is {% raw %} … {% endraw %}",
    "when": "{% when 1 %} of Liquid is {% elif x == 1 %}",
}
_UNKNOWN_FILTERS: Final[Mapping[str, str]] = {
    "append": "a ~ b puts texts together",
    "ceil": '|round(0, "ceil")',
    "concat": "a + b puts lists together",
    "currency": '|money("EUR")',
    "divided_by": "a / b divides, a // b without a rest",
    "downcase": "|lower",
    "floor": '|round(0, "floor")',
    "json": "|tojson",
    "json_encode": "|tojson",
    "merge": "a + b puts lists together, dict(a, name=b) objects",
    "minus": "a - b",
    "modulo": "a % b",
    "money_format": '|money("EUR")',
    "newline_to_br": "|nl2br",
    "number_format": "|number",
    "plus": "a + b",
    "prepend": "b ~ a puts texts together",
    "raw": "|safe",
    "size": "|length",
    "split": 'text.split(",")',
    "strftime": '|date("d.M.yyyy")',
    "strip": "|trim",
    "strip_html": "|striptags",
    "times": "a * b",
    "uniq": "|unique",
    "upcase": "|upper",
    "where": '|selectattr("name", "equalto", value)',
}
_CHARACTERS: Final[Mapping[str, str]] = {
    "&": "write a and b in place of a && b",
    "?": "write a if condition else b in place of condition ? a : b",
    "!": "write not a in place of !a",
}


def advice(message: str, source: str, position: int, names: Mapping[str, Collection[str]]) -> str:
    """Return the end of a message about a template, or an empty text.

    `position` (from 1) is that of the error in the source, and `names` are the known ones by
    `filter` and `test`.
    """
    if match := _UNKNOWN_NAME.search(message):
        kind, name = match.groups()
        foreign = _UNKNOWN_FILTERS if kind == "filter" else {}
        nearest = nearest_name(name, [*names[kind], *foreign])
        form = foreign.get(nearest or "")
        return f" Write {form}." if form else _question(nearest)
    tag = _tag_at(source, position)
    for pattern, jinja_form in _FORMS.items():
        if match := pattern.match(tag):
            return _sentence(match.expand(jinja_form))
    if match := _UNKNOWN_TAG.search(message):
        name = match[1]
        if name in _TAGS:
            return " No block is open that it belongs to."
        if name in _UNKNOWN_TAGS:
            return _sentence(_UNKNOWN_TAGS[name])
        return _question(nearest_name(name, _TAGS))
    return _expression_advice(message, tag) or _embedded_advice(source, position)


def _expression_advice(message: str, tag: str) -> str:
    """Return the form of an operator."""
    match = _UNKNOWN_CHARACTER.search(message)
    if match and match[1] in _CHARACTERS:
        return _sentence(_CHARACTERS[match[1]])
    if "||" in tag and message.endswith("got '|'"):
        return _sentence("write a or b in place of a || b")
    if "===" in tag or (tag.startswith("{%") and message.endswith("got '='")):
        return _sentence("write a == b to compare")
    if "->" in tag:
        return _sentence("write a.b in place of a->b")
    return ""


def _embedded_advice(source: str, position: int) -> str:
    """Return the form of EJS and ERB where they stand in the line of an error."""
    begin = source.rfind("\n", 0, position) + 1
    line = source[begin : begin + _MAX_BEFORE]
    if "<%" not in line:
        return ""
    return _sentence("<%= x %> of EJS and ERB is {{ x }}, and <% if … %> is {% if … %}")


def _tag_at(source: str, position: int) -> str:
    """Return the text of the tag that an error stands in, from its braces to its end."""
    first = max(0, position - _MAX_BEFORE)
    # Of three braces the first two are the tag.
    begin = max(source.rfind(mark, first, position + 1) for mark in ("{{", "{%"))
    if begin < 0:
        return ""
    if begin and source[begin - 1] == "{" and source[begin] == "{":
        begin -= 1
    text = source[begin : begin + _MAX_TAG]
    end = _TAG_END.search(text)
    if end is None:
        return text
    return text[: end.end()] if begin + end.end() >= position else ""


def _sentence(text: str) -> str:
    return f". {text[0].upper()}{text[1:]}."


def _question(nearest: str | None) -> str:
    return "" if nearest is None else f" Did you mean {nearest}?"
