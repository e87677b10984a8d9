"""Code of the guides that no shell runs: requests, HTML of templates, JSON and Python."""

import ast
import json
import re
from pathlib import Path
from typing import Final

import pytest

from chalicelib.contract.render.request import RenderRequest
from infra.template import ROOT

_DOCS: Final = ROOT / "docs"
_PAGES: Final = sorted(_DOCS.rglob("*.md"))
_REQUESTS: Final = sorted((_DOCS / "requests").glob("*.json"))


def _blocks(page: Path, language: str) -> list[str]:
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def _words(code: str) -> str:
    return " ".join(code.split())


@pytest.mark.parametrize("path", _REQUESTS, ids=lambda path: path.stem)
def test_request_fits_the_contract_and_a_page_sends_it(path: Path) -> None:
    RenderRequest.model_validate_json(path.read_bytes())

    sent = f"docs/requests/{path.name}"
    assert any(sent in page.read_text(encoding="utf-8") for page in _PAGES)


def test_html_of_the_templates_page_is_that_of_its_requests() -> None:
    sources = [_words(json.loads(path.read_bytes())["input"].get("html", "")) for path in _REQUESTS]

    parts = [_words(block) for block in _blocks(_DOCS / "templates.md", "html")]
    assert parts
    assert [part for part in parts if not any(part in source for source in sources)] == []


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: page.stem)
def test_json_and_python_of_a_page_can_be_read(page: Path) -> None:
    for block in _blocks(page, "json"):
        json.loads(block)
    for block in _blocks(page, "python"):
        ast.parse(block)
