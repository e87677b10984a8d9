"""Margin boxes with functions that the browser drops, as rules that it draws.

A text that differs between pages is a counter style whose symbols are the texts of the pages, so
the browser lays it out in the box and with the style of its author.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from chalicelib.engine.browser.output.paged.rules import PagedRule

_QUOTED: Final = r"\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'"
_STYLED_PLAIN: Final = frozenset(" .,:;()/+-*&%!?=")


def replace_calls(
    content: str, functions: str, replacement: Callable[[str, list[str]], str]
) -> str:
    """Return a `content` with its function calls replaced; texts in quotes stay.

    `functions` are names with `|` between. `replacement` gets the name and the arguments.
    """
    calls = re.compile(
        rf"{_QUOTED}|(?<![\w-])({functions})\(((?:{_QUOTED}|[^()\"'])*+)\)", re.IGNORECASE
    )

    def replacement_of(match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        return replacement(match[1].lower(), [part.strip() for part in match[2].split(",")])

    return calls.sub(replacement_of, content)


def margin_box_css(rule: PagedRule, content: str) -> str:
    """Return the rule of a margin box with another content."""
    css = f"{rule.selectors} {{ {rule.area} {{ content: {content} }} }}"
    return conditional_css(rule.conditions, css)


def conditional_css(conditions: Sequence[str], css: str) -> str:
    """Return a rule within the conditions of another."""
    for condition in reversed(conditions):
        css = f"{condition} {{ {css} }}"
    return css


def page_texts_css(name: str, texts: Sequence[str]) -> str:
    """Return a counter style that shows a text for each page number."""
    system = "fixed 1"
    if len(set(texts)) <= 1:
        system, texts = "cyclic", texts[:1] or [""]
    symbols = " ".join(map(css_string, texts))
    return f'@counter-style {name} {{ system: {system}; symbols: {symbols}; suffix: "" }}'


def css_string(text: str) -> str:
    """Return a text as a string of CSS."""
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(char: str) -> str:
    return char if char.isalnum() or char in _STYLED_PLAIN else f"\\{ord(char):x} "
