"""Random documents of plain boxes that `print_only_layout` accepts."""

import random
import re
from typing import Any, Final

import pytest

_STYLES: Final = """
display: flex; gap: 5px|display: flex; flex-wrap: wrap; justify-content: space-between|flex: 1
display: grid; grid-template-columns: 1fr 2fr|grid-column: 1 / 3|display: inline-flex
display: inline-block; vertical-align: top|display: table|display: table-cell|display: inline
display: contents|display: none|display: list-item; list-style: square inside|float: right
float: left; width: 30%|clear: both|position: relative; left: -5px|position: absolute; right: 0
position: absolute; left: 10px; top: 20px; z-index: 2|break-before: page|break-inside: avoid
page-break-after: always|page: wide|orphans: 3; widows: 3|direction: rtl|text-align: justify
text-align: right; white-space: nowrap|white-space: pre-wrap|word-break: break-all|text-indent: 2em
font: italic 700 14px/1.2 serif|font-size: 8px; line-height: 2|letter-spacing: 2px
text-transform: uppercase|font-variant-numeric: tabular-nums|vertical-align: super|opacity: .4
background: linear-gradient(red, blue)|background: #eee; border: 1px solid #ccc; padding: 5px
border: 3px dashed; border-radius: 9px|border-collapse: collapse|table-layout: fixed; width: 100%
width: max-content|width: 10ch|height: 30vh|min-height: 200px; max-width: 20em|height: 100%
margin: auto|margin: -10px|margin: 1cm 0|padding: 2em; box-sizing: border-box|counter-reset: c
"""
_ELEMENTS: Final = """
div p span b h1 h2 section table table table ul ol dl blockquote pre a label figure svg img address
main font center small td li dt
"""
STYLES: Final = re.split(r"[|\n]", _STYLES.strip())
ELEMENTS: Final = _ELEMENTS.split()
WORDS: Final = (
    "word and word ",
    "日本語の文章 ",
    "مرحبا ",
    "Größe 😀 ",
    "1.234,50 € ",
    "hyphenless",
)
PAGES: Final = (
    "",
    "@page { size: A5 landscape }",
    "@page { margin: 3cm; @top-center { content: counter(page) } }",
    "@page wide { size: A4 landscape } @page:first { margin: 5cm }",
)
BODIES: Final = ("", "display: flex", "margin: 0", "direction: rtl")
PARTS: Final = (
    "",
    "::before",
    "::first-line",
    "::marker",
    ":first-child",
    ":nth-child(2n)",
    " > *",
)


def seeds(always: int, *, of: int) -> list[Any]:
    """Return parameters of so many documents; those after `always` are breadth."""
    rest = (pytest.param(seed, marks=pytest.mark.breadth) for seed in range(always, of))
    return [*range(always), *rest]


def random_page(seed: int, picture: str) -> str:
    """Return a document, the same for the same seed; `picture` is a URL."""
    chosen = random.Random(seed)  # noqa: S311 -- nothing is kept secret by it
    rules = "".join(
        f".c{n}{chosen.choice(PARTS)} {{ content: counter(c) 'x'; {chosen.choice(STYLES)} }}"
        for n in range(5)
    )
    sheet = chosen.choice(("{}", "@media print {{ {} }}", "@media screen {{ {} }}")).format(rules)
    body = "".join(_element(chosen, 3, picture) for _ in range(chosen.randrange(1, 12)))
    return (
        f"<!doctype html><html lang={chosen.choice(('en', 'de', 'ar', 'ja'))}>"
        f"<style>{sheet}{chosen.choice(PAGES)}</style>"
        f"<body style='{chosen.choice(BODIES)}'>{body}"
    )


def _element(chosen: random.Random, depth: int, picture: str) -> str:
    name = chosen.choice(ELEMENTS)
    style = "; ".join(chosen.choice(STYLES) for _ in range(chosen.choice((0, 0, 1, 1, 2))))
    words = chosen.choice(WORDS) * chosen.randrange(1, 30)
    if name == "img":
        return f'<img src="{picture}" alt="" style="{style}">'
    if name == "svg":
        return (
            '<svg width="50" height="50"><rect width="40" height="40"/><text y="20">a</text></svg>'
        )
    if name == "table":
        cells = f"<tr><td>{words}<td>{chosen.choice(WORDS)}" * chosen.randrange(40)
        return f'<table class="c{chosen.randrange(5)}" style="{style}">{cells}</table>'
    below = range(chosen.randrange(3) if depth else 0)
    inner = "".join(_element(chosen, depth - 1, picture) for _ in below)
    return f'<{name} class="c{chosen.randrange(5)}" style="{style}">{words}{inner}</{name}>'
