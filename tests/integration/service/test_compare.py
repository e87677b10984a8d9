"""Comparison of versions in a real browser and the confined process of PDF tools."""

import io
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
from PIL import Image

from infra.template import ROOT
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

PICTURES: Final = ROOT / "out" / "compare"
LATE: Final = 408
MAX_TRIES: Final = 10
STYLE: Final = "<style>body { font: 16px sans-serif } td { padding: 4px 24px 4px 0 }</style>"
OLD: Final = f"{STYLE}<h1>Invoice 42</h1><table><tr><td>Hosting<td>{{{{ net }}}} EUR</table>"
NEW: Final = (
    f"{STYLE}<h1>Invoice 42</h1><table><tr><td>Hosting, March<td>{{{{ net }}}} EUR"
    "<tr><td>Support<td>180 EUR</table>"
    "<p style='break-before: page'>Terms of payment: 14 days, سعر &amp; <b>more</b></p>"
)
SCENE: Final = {
    "width": 400,
    "height": 200,
    "layers": [{"type": "text", "x": 20, "y": 20, "width": 360, "height": 60, "bind": "{{ n }}"}],
}


def template(client: ApiClient, **fields: Any) -> str:
    answer = client.http.post("/templates", json={"name": "T"} | fields)
    assert answer.status_code == 201, answer.text
    return f"/templates/{answer.json()['id']}"


def compared(client: ApiClient, path: str, **body: Any) -> dict[str, Any]:
    """Return a comparison; a machine under load may take longer than a request has."""
    answers = (client.http.post(f"{path}/compare", json=body) for _ in range(MAX_TRIES))
    answer = next(each for each in answers if each.status_code != LATE)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def picture(url: str) -> Image.Image:
    answer = httpx.get(url, follow_redirects=True)
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "image/png")
    return Image.open(io.BytesIO(answer.content))


def keep(name: str, shown: Image.Image) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    shown.save(Path(PICTURES / f"{name}.png"))


def test_draft_is_compared_with_the_live_version(test: ApiClient) -> None:
    dataset = {"name": "One", "data": {"net": 49}}
    path = template(test, html=OLD, datasets=[dataset], publish=True)
    assert test.http.put(f"{path}/draft", json={"html": NEW}).status_code == 200

    found = compared(test, path, **{"from": "live", "to": "draft"})

    first, second = found["pages"]
    assert 0 < first["changed"] < 0.05
    assert (second["changed"], second["from_url"], second["diff_url"]) == (1, None, None)
    for name in ("from", "to", "diff"):
        shown = picture(first[f"{name}_url"])
        assert shown.size == (795, 1123)
        keep(name, shown)
    texts = {(each["kind"], each["page"]): each for each in found["text_changes"]}
    assert any("March" in str(each["to"]) for each in found["text_changes"])
    assert "Terms of payment: 14 days" in str(texts["added", 2]["to"])


def test_canvas_is_compared_as_its_page(test: ApiClient) -> None:
    path = template(test, type="image_canvas", scene=SCENE, publish=True)
    moved = SCENE | {"layers": [SCENE["layers"][0] | {"y": 100}]}  # type: ignore[index]
    assert test.http.put(f"{path}/draft", json={"scene": moved}).status_code == 200
    data = {"name": "One", "data": {"n": "Ada"}}
    dataset = test.http.post(f"{path}/datasets", json=data).json()["id"]

    body = {"from": 1, "to": "draft", "dataset_id": dataset, "dpi": 192}
    (page,) = compared(test, path, **body)["pages"]

    assert 0 < page["changed"] < 0.2
    assert picture(page["diff_url"]).size == (800, 400)


def test_same_version_has_no_changes(test: ApiClient) -> None:
    path = template(test, html=NEW, publish=True)

    found = compared(test, path, **{"from": 1, "to": "live"})

    assert [page["changed"] for page in found["pages"]] == [0, 0]
    assert all(page["from_url"] == page["to_url"] for page in found["pages"])
    assert found["text_changes"] == []


def test_many_large_pages_are_refused_with_the_way_out(test: ApiClient) -> None:
    html = "<p style='break-after: page'>x" * 20
    path = template(test, html=html, publish=True)

    answer = test.http.post(f"{path}/compare", json={"from": 1, "to": 1, "dpi": 300})

    assert answer.json()["code"] == "validation_error", answer.text
    assert answer.json()["errors"][0]["path"] == "/dpi"
