"""The examples stored as templates, created and rendered through the whole stack."""

import io
from collections.abc import Mapping
from typing import Any, Final

import httpx
import pytest
from PIL import Image
from pypdf import PdfReader

from infra.local.examples import example_data, render_body, stored_examples, template_body
from infra.local.gallery import gallery_requests
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

A4: Final = (210, 297)
# By example: paper size in millimetres, number of pages, and texts of the last page.
EXPECTED: Final[Mapping[str, tuple[tuple[int, int], int, tuple[str, ...]]]] = {
    "certificate": ((297, 210), 1, ("Margarethe Øverland", "25 September 2026")),
    "invoice": (A4, 3, ("81.335,80 €", "12.803,93 €", "18. Dezember 2026", "Seite 3 / 3")),
    "payslip": (A4, 1, ("11 583,85 CHF", "1 575,50", "Novembre 2026")),
    "report": (A4, 3, ("£399,153", "+11.2%", "6 November 2026", "3 / 3")),
    "shipping-label": ((100, 150), 1, ("65200 Bagnères-de-Bigorre", "Tue 24 Nov, by 10:00")),
}
PIXELS: Final = {"certificate": (2246, 1588), "shipping-label": (1134, 1701)}


def plain(text: str) -> str:
    """Return text with every white space replaced by one blank."""
    return " ".join(text.split())


def made(live: ApiClient, example: str) -> dict[str, Any]:
    template = live.http.post("/templates", json=template_body(example))
    assert template.status_code == 201, template.text
    render = live.http.post("/renders", json=render_body(example, template.json()["id"]))
    assert render.status_code in {200, 201}, render.text
    answer: dict[str, Any] = render.json()
    return answer


def test_every_example_has_an_expectation() -> None:
    assert stored_examples() == sorted(EXPECTED)


@pytest.mark.parametrize("example", EXPECTED)
def test_example_renders_as_expected(live: ApiClient, example: str) -> None:
    render = made(live, example)

    assert render["warnings"] == []
    assert render["template_version"] == 1
    files = {
        file["format"]: httpx.get(file["url"], follow_redirects=True).content
        for file in render["files"]
    }
    paper, pages, words = EXPECTED[example]
    pdf = PdfReader(io.BytesIO(files["pdf"]))
    assert len(pdf.pages) == pages
    for page in pdf.pages:
        box = page.mediabox
        assert [float(box.width) / 72 * 25.4, float(box.height) / 72 * 25.4] == pytest.approx(
            paper, abs=0.5
        )
    last = plain(pdf.pages[-1].extract_text())
    assert [word for word in words if word not in last] == []
    assert "/StructTreeRoot" in pdf.root_object
    if example in PIXELS:
        assert Image.open(io.BytesIO(files["png"])).size == PIXELS[example]


def test_invoice_repeats_its_table_head_and_has_every_line(live: ApiClient) -> None:
    (file,) = made(live, "invoice")["files"]
    pdf = PdfReader(io.BytesIO(httpx.get(file["url"], follow_redirects=True).content))

    texts = [plain(page.extract_text()) for page in pdf.pages]

    assert all("Betrag in EUR" in text for text in texts)
    assert all(f"Seite {n} / 3" in text for n, text in enumerate(texts, 1))
    lines = [line for part in example_data("invoice")["parts"] for line in part["lines"]]
    assert [line for line in lines if not any(line["title"] in text for text in texts)] == []


@pytest.mark.parametrize("name", gallery_requests())
def test_document_of_the_gallery_renders_without_a_warning(live: ApiClient, name: str) -> None:
    answer = live.http.post("/renders", json=gallery_requests()[name])

    assert answer.status_code in {200, 201}, answer.text
    assert answer.json()["warnings"] == []
