"""Blocks of HTML in the guides: each is a template that can be read."""

import re
from typing import Final

import jinja2
import pytest

from infra.template import ROOT

BLOCK: Final = re.compile(r"^```html\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS: Final = [
    (path.name, text)
    for path in sorted((ROOT / "docs").rglob("*.md"))
    for text in BLOCK.findall(path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize(("page", "text"), BLOCKS)
def test_each_block_of_html_is_a_template(page: str, text: str) -> None:
    parsed = jinja2.Environment(autoescape=True).parse(text)

    assert parsed.body, page
