"""The documents of `examples/`, created as templates and rendered through the whole stack."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any, Final

import httpx
import pypdfium2
import pytest
from PIL import Image
from pypdf import PdfReader
from pypdf.generic import Destination, DictionaryObject

from infra.local.examples import REQUEST_FILE, example_names, render_body, template_body
from tests.builders.gallery import expectation
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

_JSON: Final = {"Content-Type": "application/json"}
# Styles at the end of PostScript names, after which the family remains.
_STYLE: Final = re.compile(r"-(?:Regular|Bold|Italic|BoldItalic)$")


class Made:
    """The render of an example, with the report on its accessibility, and its files."""

    def __init__(self, live: ApiClient, name: str) -> None:
        self.template = template_body(name)
        template = live.http.post("/templates", json=self.template)
        assert template.status_code == 201, template.text
        body = render_body(name, template.json()["id"])
        body["output"]["pdf"] = {"accessibility_report": True}
        answer = live.http.post("/renders", json=body)
        # A busy machine answers before the render has ended.
        assert answer.is_success, answer.text
        self.render: dict[str, Any] = live.wait_until_final(answer.json()["id"])
        assert self.render["status"] == "succeeded", self.render
        self.files = {
            file["format"]: httpx.get(file["url"], follow_redirects=True).content
            for file in self.render["files"]
        }
        self.pdf = PdfReader(io.BytesIO(self.files["pdf"]))

    def faces(self) -> set[str]:
        """Return the families of the embedded fonts, without blanks."""
        fonts = [
            font
            for page in self.pdf.pages
            for font in DictionaryObject(page.get("/Resources", {})).get("/Font", {}).values()
        ]
        # Outlined letters are a font of drawings, which has no name.
        names = [str(font.get_object().get("/BaseFont", "")) for font in fonts]
        return {_STYLE.sub("", name.split("+")[-1].lstrip("/")) for name in names}

    def page_texts(self) -> list[str]:
        """Return the text of each page without blanks, as a reader copies it."""
        pages = pypdfium2.PdfDocument(self.files["pdf"])
        return [compact(page.get_textpage().get_text_range()) for page in pages]


@pytest.fixture(scope="module")
def warm(live: ApiClient) -> ApiClient:
    """Let the validators give their first verdict, which may come too late on a busy machine."""
    live.http.post("/renders", content=REQUEST_FILE.read_bytes(), headers=_JSON)
    return live


@pytest.fixture(scope="module", params=example_names())
def made(request: pytest.FixtureRequest, warm: ApiClient) -> Made:
    """Give one example after the other."""
    return Made(warm, request.param)


@pytest.fixture
def name(request: pytest.FixtureRequest) -> str:
    """Give the name of the example."""
    folder: str = request.node.callspec.params["made"]
    return folder


def flat(outline: list[Any]) -> Iterator[Destination]:
    """Yield the entries of all levels."""
    for entry in outline:
        if isinstance(entry, list):
            yield from flat(entry)
        else:
            yield entry


def compact(text: str) -> str:
    """Return text without blanks."""
    return "".join(text.split())


def test_nothing_is_warned_of(made: Made) -> None:
    assert made.render["warnings"] == []


def test_form_is_as_expected(made: Made, name: str) -> None:
    wanted = expectation(name)

    assert len(made.pdf.pages) == wanted.pages
    for page in made.pdf.pages:
        box = page.mediabox
        size = [float(side) / 72 * 25.4 for side in (box.width, box.height)]
        assert size == pytest.approx(wanted.size, abs=0.5)
    if wanted.pixels is not None:
        assert Image.open(io.BytesIO(made.files["png"])).size == wanted.pixels


def test_sums_are_those_of_the_data(made: Made, name: str) -> None:
    data = made.template["datasets"][0]["data"]
    text = "".join(made.page_texts())

    assert [each for each in expectation(name).texts(data) if compact(each) not in text] == []


def test_readers_are_served(made: Made) -> None:
    assert "/StructTreeRoot" in made.pdf.root_object
    assert bool(made.pdf.outline) == ("<h2" in made.template.get("html", ""))
    reports = made.render["result"]["conformance"].values()
    assert [report for report in reports if report["status"] != "passed"] == []
    assert [report for report in reports if report["errors"] or report["warnings"]] == []


def test_contents_of_the_contract_name_the_pages(live: ApiClient) -> None:
    contract = Made(live, "contract")
    headings = [
        (heading.title, contract.pdf.get_destination_page_number(heading) or 0)
        for heading in flat(contract.pdf.outline)
    ]

    listed = contract.page_texts()[1]

    lines = [compact(f"{title}{page + 1}") for title, page in headings[2:]]
    assert len(lines) == 18
    assert [line for line in lines if line not in listed] == []


def test_faces_are_the_named_ones(made: Made) -> None:
    parts = ("html", "css", "header", "footer", "scene")
    named = compact("".join(json.dumps(made.template.get(part)) for part in parts))

    assert [face for face in made.faces() if face not in named] == []


def test_the_first_request_of_the_readme_makes_the_invoice(live: ApiClient) -> None:
    body = json.loads(REQUEST_FILE.read_text(encoding="utf-8"))

    answer = live.http.post("/renders", json=body)

    assert answer.headers["Content-Type"] == "application/pdf", answer.text
    assert "factur-x.xml" in PdfReader(io.BytesIO(answer.content)).attachments
