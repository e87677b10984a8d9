"""PDF tools of the deployed stack: their function starts from its own archive and runs them all."""

import pytest

from tests.builders.pdfs.requests import TOOL_FILES, TOOL_OPTIONS, tool_request
from tests.builders.pdfs.tool_runs import opened, page_texts
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.deployment import Deployment

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_tool_runs_with_the_packages_of_its_archive(live: ApiClient, tool: str) -> None:
    body = tool_request(tool, delivery={"type": "url"})

    render = live.http.post(f"/pdf-tools/{tool}", json=body).json()

    assert render.get("status") == "succeeded", render
    assert tuple(file["format"] for file in render["files"]) == TOOL_FILES[tool]


def test_mark_is_printed_by_the_engine_and_drawn_by_the_tool(
    deployment: Deployment, live: ApiClient
) -> None:
    made = {
        tool: live.http.post(f"/pdf-tools/{tool}", json=tool_request(tool)).json()
        for tool in ("rotate", "watermark")
    }

    turned, marked = (deployment.fetch_file(made[tool]["files"][0]["url"]) for tool in made)
    assert [page.obj.Rotate for page in opened(turned).pages] == [90] * 3
    for number, text in enumerate(page_texts(marked), 1):
        assert f"page {number}" in text
    assert len(marked) > len(turned)
