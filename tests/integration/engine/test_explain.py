"""How a page came about is told: the web fonts it asked for and got, also where it fails."""

from base64 import b64encode
from pathlib import Path

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser import rehearsal
from tests.integration.engine.conftest import Render

FONT = b64encode(Path(rehearsal.__file__).with_suffix(".woff2").read_bytes()).decode()
HTML = (
    f"<style>@font-face{{font-family:'Own Face';src:url(data:font/woff2;base64,{FONT})}}"
    "p{font-family:'Own Face',serif} code{font-family:Courier New}</style>"
    "<p>Text<p><code>code</code>"
)


def test_fonts_are_told_as_asked_for_and_as_used(render: Render) -> None:
    explain = render(HTML).trace.explain

    assert explain is not None
    pairs = {(font["requested"], font["used"]) for font in explain["fonts"]}
    assert pairs == {("Own Face", "Own Face")}
    assert explain["requests"] == 0
    assert explain["bytes"] == {"html": len(HTML.encode())}


def test_a_failure_is_explained_as_far_as_it_came(render: Render) -> None:
    with pytest.raises(RenderFailure) as failure:
        render(HTML, wait={"selector": "#never", "timeout_ms": 300})

    explain = failure.value.members["trace"].explain
    assert explain["wait"] == "selector"
    assert explain["bytes"]["html"] == len(HTML.encode())
    assert "selector" in failure.value.detail


def test_a_page_without_a_word_or_without_scripts_is_explained(render: Render) -> None:
    empty = render("").trace.explain
    off = render(HTML, javascript=False).trace.explain

    assert empty is not None
    assert empty["fonts"] == []
    assert off is not None
    assert len(off["fonts"]) == 1
