"""Every PDF tool over HTTP on the whole service, and chains of tools by file ids."""

import io
from functools import partial
from typing import Any

import httpx
import pikepdf
import pypdf
import pypdfium2
import pytest
from PIL import Image, ImageChops

from tests.builders.pdfs.forms import sample_form
from tests.builders.pdfs.plain import pdf
from tests.builders.pdfs.requests import TOOL_FILES, TOOL_OPTIONS
from tests.builders.pdfs.tool_runs import opened, page_texts
from tests.builders.stack.api_client import HTML, ApiClient
from tests.builders.stack.tool_requests import RunTool, send_tool

pytestmark = pytest.mark.integration

ARCHIVED: dict[str, Any] = {"pdf": {"pdfa": "3a", "pdfua": True}}
STARTS = {"pdf": b"%PDF-", "png": b"\x89PNG", "txt": b"page 1"}


def made(answer: httpx.Response) -> dict[str, Any]:
    """Return the succeeded render of an answer."""
    render: dict[str, Any] = answer.json()
    assert (answer.status_code, render["status"]) == (200, "succeeded"), answer.text
    return render


def contents(render: dict[str, Any]) -> list[bytes]:
    """Return the files of a render."""
    return [
        httpx.get(file["url"], follow_redirects=True).raise_for_status().content
        for file in render["files"]
    ]


def content(answer: httpx.Response) -> bytes:
    """Return the one file of an answer."""
    (only,) = contents(made(answer))
    return only


def pictures(document: bytes) -> list[Image.Image]:
    """Return the pages of a document as pdfium draws them."""
    with pypdfium2.PdfDocument(document) as drawn:
        drawn.init_forms()
        return [page.render(scale=1).to_pil().convert("RGB") for page in drawn]


def has_changed(one: Image.Image, other: Image.Image) -> bool:
    """Return whether two pictures of one size differ."""
    assert one.size == other.size
    return ImageChops.difference(one, other).getbbox() is not None


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_tool_makes_its_files(run: RunTool, tool: str) -> None:
    render = made(run(tool))

    assert tuple(file["format"] for file in render["files"]) == TOOL_FILES[tool]
    assert (render["input"]["type"], render["input"]["tool"]) == ("pdf", tool)
    assert render["billed"] is True
    for file, found in zip(render["files"], contents(render), strict=True):
        assert found.startswith(STARTS[file["format"]])
        assert len(found) == file["bytes"]


def test_document_goes_through_several_tools_without_leaving(run: RunTool, live: ApiClient) -> None:
    def file_of(answer: httpx.Response) -> dict[str, str]:
        (file,) = made(answer)["files"]
        return {"file_id": file["id"]}

    first = file_of(live.render(HTML))
    merged = file_of(run("merge", sources=[first, first]))
    marked_answer = run("watermark", source=merged, watermark={"text": "Draft", "opacity": 1})
    marked = file_of(marked_answer)
    closed_answer = run("protect", source=marked, user_password="secret")
    closed = file_of(closed_answer)
    refused = run("to-images", source=closed, dpi=72)
    unlocked_answer = run("unlock", source=closed | {"password": "secret"})
    drawn = made(run("to-images", source=file_of(unlocked_answer), dpi=72))

    plain, open_again = (contents(made(each))[0] for each in (marked_answer, unlocked_answer))
    assert len(opened(plain).pages) == 2
    assert "Hello World" in page_texts(plain)[1]
    with pytest.raises(pikepdf.PasswordError):
        opened(contents(made(closed_answer))[0])
    assert refused.json()["code"] == "pdf_password_required"
    assert page_texts(open_again) == page_texts(plain)
    unmarked = pictures(contents(live.get(first_render(live, first)))[0])[0]
    for picture in pictures(open_again):
        assert has_changed(picture, unmarked), "the browser has printed the mark"
    images = [Image.open(io.BytesIO(each)) for each in contents(drawn)]
    assert [image.size for image in images] == [each.size for each in pictures(open_again)]
    assert all(len(image.convert("RGB").getcolors(1_000_000) or ()) > 2 for image in images)


def first_render(live: ApiClient, source: dict[str, str]) -> str:
    """Return the id of the render that made a file."""
    listed = live.http.get("/renders", params={"limit": 100}).json()["data"]
    return next(
        str(render["id"])
        for render in listed
        if any(file["id"] == source["file_id"] for file in render["files"])
    )


def test_form_is_filled_and_flattened(run: RunTool) -> None:
    blank = pdf(2, field="name")
    filled = made(run("fill-form", blank, fields={"name": "Ada Lovelace"}))
    (before,) = contents(filled)

    after = content(run("flatten", source={"file_id": filled["files"][0]["id"]}))

    assert pypdf.PdfReader(io.BytesIO(before)).get_form_text_fields() == {"name": "Ada Lovelace"}
    assert not pypdf.PdfReader(io.BytesIO(after)).get_fields()
    assert "Ada Lovelace" in page_texts(after)[0]
    shown, drawn = pictures(before)[0], pictures(after)[0]
    assert has_changed(drawn, pictures(blank)[0])
    assert shown.size == drawn.size


def test_form_of_all_fields_is_flattened_with_the_deployed_fonts(run: RunTool) -> None:
    form = io.BytesIO()
    sample_form().save(form)

    flat = content(run("flatten", form.getvalue()))

    assert not pypdf.PdfReader(io.BytesIO(flat)).get_fields()
    assert has_changed(pictures(flat)[0], Image.new("RGB", pictures(flat)[0].size, "white"))


def test_converted_document_is_judged_by_the_validator(run: RunTool) -> None:
    render = made(run("pdfa", level="2b"))

    assert render["result"]["conformance"]["pdfa"]["status"] == "passed", render["result"]


def test_document_that_claims_conformance_is_judged_by_its_claims(
    run: RunTool, live: ApiClient
) -> None:
    claims = made(live.render(HTML, output=ARCHIVED))

    report = made(run("validate", source={"file_id": claims["files"][0]["id"]}))["result"]

    verdicts = report["conformance"]
    assert {name: verdicts[name]["status"] for name in ("pdfa", "pdfua")} == {
        "pdfa": "passed",
        "pdfua": "passed",
    }, report


def test_document_that_claims_nothing_gets_a_failed_report(run: RunTool) -> None:
    render = made(run("validate"))

    verdicts = render["result"]["conformance"]
    assert render["files"] == []
    assert verdicts["pdfa"]["status"] == verdicts["pdfua"]["status"] == "failed"


@pytest.mark.parametrize("tool", ["rotate", "split", "watermark", "to-images"])
def test_files_of_test_keys_carry_a_mark(run: RunTool, test: ApiClient, tool: str) -> None:
    send = partial(send_tool, test)
    plain, marked = (contents(made(by(tool))) for by in (run, send))

    if TOOL_FILES[tool][0] == "pdf":
        pairs = [
            (a, b)
            for one, other in zip(plain, marked, strict=True)
            for a, b in zip(pictures(one), pictures(other), strict=True)
        ]
    else:
        pairs = [
            (
                Image.open(io.BytesIO(one)).convert("RGB"),
                Image.open(io.BytesIO(other)).convert("RGB"),
            )
            for one, other in zip(plain, marked, strict=True)
        ]
    assert pairs
    assert all(has_changed(one, other) for one, other in pairs)
