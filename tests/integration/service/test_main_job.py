"""The main job through the whole stack: documents of a real browser over real HTTP."""

import hashlib
import io
import json

import httpx
import pytest
from PIL import Image
from pypdf import PdfReader

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration


def test_file_is_what_the_answer_says(live: ApiClient) -> None:
    render = live.render("<title>T</title><p>1<p style='break-before: page'>2").json()

    (file,) = render["files"]
    content = httpx.get(file["url"], follow_redirects=True).content
    assert hashlib.sha256(content).hexdigest() == file["sha256"]
    pdf = PdfReader(io.BytesIO(content))
    assert len(pdf.pages) == file["pages"] == 2
    assert "/StructTreeRoot" in pdf.root_object
    assert "TEST" not in pdf.pages[0].extract_text()


def test_picture_has_the_resolution_of_its_window(live: ApiClient) -> None:
    image = {"viewport": {"width": 794, "height": 600, "device_scale_factor": 2}}

    answer = live.render(output={"format": "png", "image": image}, delivery={"type": "binary"})

    assert answer.headers["Content-Type"] == "image/png"
    assert Image.open(io.BytesIO(answer.content)).size == (794 * 2, 600 * 2)


def test_download_has_the_requested_name_and_type(live: ApiClient) -> None:
    render = live.render(output={"filename": "Rechnung Ü 7"}).json()

    answer = httpx.get(render["files"][0]["url"], follow_redirects=True)

    assert answer.headers["Content-Type"] == "application/pdf"
    assert "Rechnung%20%C3%9C%207.pdf" in answer.headers["Content-Disposition"]


def test_async_render_succeeds_through_the_queue(live: ApiClient) -> None:
    answer = live.render("<p>{{ name }}</p>", mode="async", data={"name": "Ada"})
    assert answer.status_code == 202
    assert answer.headers["Location"].endswith(f"/v1/renders/{answer.json()['id']}")

    render = live.wait_until_final(answer.json()["id"])

    assert render["status"] == "succeeded", render
    content = httpx.get(render["files"][0]["url"], follow_redirects=True).content
    assert "Ada" in PdfReader(io.BytesIO(content)).pages[0].extract_text()


def test_template_error_has_its_line(live: ApiClient) -> None:
    answer = live.render("<p>\n{{ nothing.at.all() }}", data={})

    assert answer.status_code == 422
    problem = answer.json()
    assert problem["code"] == "template_runtime_error"
    assert problem["line"] == 2


def test_lone_surrogate_in_the_console_does_no_harm(live: ApiClient) -> None:
    script = "<p>x<script>console.log('\\ud800');throw new Error('a\\udfffb')</script>"

    render = live.render(script).json()

    assert render["status"] == "succeeded", render
    assert len(render["logs"]) == 2


def test_header_that_loads_remote_content_fails(live: ApiClient) -> None:
    html = "<style>@import url(https://fonts.example/css);</style>H"

    answer = live.render(output={"pdf": {"header": {"enabled": True, "html": html}}})

    assert answer.json()["code"] == "render_failed"
    assert "header or footer" in answer.json()["detail"]


def test_test_render_is_marked_and_not_billed(test: ApiClient, live: ApiClient) -> None:
    answer = test.render(delivery={"type": "binary"})
    plain = live.render(delivery={"type": "binary"})

    marked = PdfReader(io.BytesIO(answer.content)).pages[0].get_contents()
    clean = PdfReader(io.BytesIO(plain.content)).pages[0].get_contents()
    assert marked is not None
    assert clean is not None
    assert b"/Artifact" in marked.get_data()
    assert len(marked.get_data()) > len(clean.get_data())


def test_altered_file_url_is_refused_with_a_problem(live: ApiClient) -> None:
    url = live.render().json()["files"][0]["url"]

    answer = httpx.get(url[:-1] + ("0" if url[-1] != "0" else "1"))

    assert answer.status_code == 403
    assert answer.json()["code"] == "invalid_signature"


def test_altered_store_url_is_refused(live: ApiClient) -> None:
    url = live.render().json()["files"][0]["url"]
    direct = httpx.get(url).headers["Location"]

    assert httpx.get(direct).status_code == 200
    assert httpx.get(direct[:-1] + ("0" if direct[-1] != "0" else "1")).status_code == 403


def test_large_document_is_redirected(live: ApiClient) -> None:
    # Noise does not compress, so the picture is larger than Lambda's response limit.
    script = (
        "<canvas id=c width=1600 height=1600></canvas><script>"
        "const g=c.getContext('2d'),d=g.createImageData(1600,1600);"
        "for(let i=0;i<d.data.length;i++)"
        "d.data[i]=i%4==3?255:256*Math.random();g.putImageData(d,0,0)</script>"
    )
    output = {"format": "png", "image": {"width": 1600, "height": 1600}}

    answer = live.render(script, output=output, delivery={"type": "binary"})

    assert answer.status_code == 303
    content = httpx.get(answer.headers["Location"]).content
    assert len(content) > 4_300_000
    assert Image.open(io.BytesIO(content)).size == (1600, 1600)


def test_body_over_the_gateway_limit_is_refused_with_a_problem(
    live: ApiClient, stack: RunningStack
) -> None:
    for size, status in ((3_900_000, 200), (4_400_000, 413), (10_500_000, 413)):
        answer = live.render("<!-- " + "x" * size + " -->ok")
        assert answer.status_code == status, (size, answer.text[:300])
        if status == 413:
            assert answer.json()["code"] == "payload_too_large"
            assert answer.headers["Content-Type"] == "application/problem+json"
    assert stack.pid


def test_largest_body_of_wide_characters_reaches_the_browser(live: ApiClient) -> None:
    # Escaped, these characters would not fit into the invocation of the render function.
    body = json.dumps(
        {"input": {"type": "html", "html": "<!-- " + "界" * 1_300_000 + " -->ok"}},
        ensure_ascii=False,
    ).encode()

    answer = live.http.post("/renders", content=body, headers={"Content-Type": "application/json"})

    assert answer.status_code == 200, answer.text[:300]
