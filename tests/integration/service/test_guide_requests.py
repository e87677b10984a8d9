"""The requests and style sheets of the guides: each works, and nothing is warned of."""

import re
from typing import Final

import pytest

from tests.builders.guide_pictures import pages_of_guides, request_body, request_names
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

CSS_BLOCK: Final = re.compile(r"^```css\n(.*?)^```$", re.DOTALL | re.MULTILINE)
STYLE_SHEETS: Final = [
    block for page in pages_of_guides().values() for block in CSS_BLOCK.findall(page)
]
HTML: Final = (
    "<nav><a href=#one>One</a></nav><div class=logo>Timber</div><h1>Manual</h1><h2 id=one>One</h2>"
)


@pytest.mark.parametrize("name", request_names())
def test_a_request_of_a_guide_renders_without_a_warning(name: str, live: ApiClient) -> None:
    body = request_body(name) | {"delivery": {"type": "url"}}
    answer = live.http.post("/renders", json=body)
    assert answer.is_success, answer.text

    render = live.wait_until_final(answer.json()["id"])

    assert render["status"] == "succeeded", render["error"]
    assert render["warnings"] == []


@pytest.mark.parametrize("style_sheet", STYLE_SHEETS)
def test_a_style_sheet_of_a_guide_is_understood(style_sheet: str, live: ApiClient) -> None:
    answer = live.render(f"<style>{style_sheet}</style>{HTML}")
    assert answer.is_success, answer.text

    assert live.wait_until_final(answer.json()["id"])["warnings"] == []
