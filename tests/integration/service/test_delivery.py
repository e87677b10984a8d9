"""Uploads and deliveries over real HTTP and a real store; zero retention with the real engine."""

import base64
import io
from pathlib import Path
from typing import Any

import httpx
import pypdfium2
import pytest
from PIL import Image
from pypdf import PdfReader

from infra.local.paths import StackFolder
from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

# Noise from a fixed seed: its picture does not compress.
NOISE = """<!doctype html><title>Noise</title><canvas width=1500 height=1500></canvas><script>
const c = document.querySelector('canvas').getContext('2d'), d = c.createImageData(1500, 1500);
let s = 1; for (let n = 0; n < d.data.length; n++) {
  s = Math.imul(s, 1664525) + 1013904223 | 0; d.data[n] = n % 4 == 3 ? 255 : s >>> 24; }
c.putImageData(d, 0, 0)</script>"""
NOISY: dict[str, Any] = {"output": {"format": "png", "viewport": {"width": 1600, "height": 1600}}}


def text_of(pdf: bytes) -> str:
    return " ".join(page.extract_text() for page in PdfReader(io.BytesIO(pdf)).pages)


def test_uploaded_html_is_rendered(live: ApiClient) -> None:
    html = "<!doctype html><title>Ü</title><h1>Hochgeladen: Ü</h1>".encode()
    sent = live.http.post("/uploads", files={"file": ("ü.html", html, "text/html")})
    assert sent.status_code == 201, sent.text
    upload = sent.json()
    assert (upload["filename"], upload["bytes"]) == ("ü.html", len(html))

    source = {"type": "html", "upload_id": upload["id"]}
    answer = live.http.post("/renders", json={"input": source, "delivery": {"type": "binary"}})

    assert answer.status_code == 200, answer.text
    assert "Hochgeladen: Ü" in text_of(answer.content)


def test_announced_upload_is_posted_to_the_store(live: ApiClient) -> None:
    html = b"<!doctype html><title>A</title><h1>Announced</h1>" + b"<!-- -->" * 700_000
    announced = {"filename": "a.html", "content_type": "text/html", "bytes": len(html)}
    upload = live.http.post("/uploads", json=announced).json()
    path, form = f"/uploads/{upload['id']}", upload["upload"]
    source = {"input": {"type": "html", "upload_id": upload["id"]}, "delivery": {"type": "binary"}}
    assert live.http.post("/renders", json=source).json()["code"] == "conflict"

    longer = httpx.post(form["url"], data=form["fields"], files={"file": html + b"."})
    assert longer.status_code == 400, longer.text
    assert live.http.get(path).json()["status"] == "pending"
    sent = httpx.post(form["url"], data=form["fields"], files={"file": html})
    assert sent.status_code in {200, 204}, sent.text

    assert live.http.get(path).json()["status"] == "ready"
    answer = live.http.post("/renders", json=source)
    assert answer.status_code == 200, answer.text
    assert "Announced" in text_of(answer.content)
    assert live.http.delete(path).status_code == 204
    assert live.http.get(path).status_code == 404
    assert live.http.post("/renders", json=source).json()["code"] == "upload_not_found"


def test_uploads_are_used_as_attachment_and_watermark(live: ApiClient) -> None:
    picture = io.BytesIO()
    Image.new("RGB", (300, 300), "red").save(picture, "PNG")
    contents = {"a.xml": b"<a>\xc3\x9c</a>", "stamp.png": picture.getvalue()}
    xml, png = (
        live.http.post("/uploads", files={"file": (name, content)}).json()["id"]
        for name, content in contents.items()
    )
    pdf = {
        "attachments": [{"upload_id": xml, "filename": "data.xml", "content_type": "text/xml"}],
        "watermark": {"image": {"upload_id": png}, "opacity": 1},
    }

    answer = live.render(output={"pdf": pdf}, delivery={"type": "binary"})

    assert answer.status_code == 200, answer.text
    document = PdfReader(io.BytesIO(answer.content))
    assert document.attachments["data.xml"] == [contents["a.xml"]]
    page = pypdfium2.PdfDocument(answer.content)[0].render(scale=1).to_pil().convert("RGB")
    red, green, blue = page.getpixel((page.width // 2, page.height // 2))
    assert (red > 250, green, blue) == (True, 0, 0)


@pytest.mark.parametrize("kind", ["binary", "base64"])
def test_body_over_the_platform_limit_is_redirected(live: ApiClient, kind: str) -> None:
    answer = live.render(NOISE, delivery={"type": kind}, **NOISY)
    assert answer.status_code == 303, answer.text[:300]

    fetched = httpx.get(answer.headers["Location"])

    body = fetched.content
    if kind == "base64":
        body = base64.b64decode(fetched.json()["files"][0]["content_base64"], validate=True)
    assert body.startswith(b"\x89PNG")
    assert len(body) > 4_300_000
    render = live.get(answer.headers["X-Render-Id"])
    assert render["files"][0]["bytes"] == len(body)


def test_files_of_several_formats_are_fetched_by_their_urls(live: ApiClient) -> None:
    render = live.render(output={"formats": ["pdf", "png"], "filename": "Both"}).json()

    for file, start in zip(render["files"], (b"%PDF", b"\x89PNG"), strict=True):
        answer = httpx.get(file["url"], follow_redirects=True)
        assert answer.content.startswith(start)
        assert f"Both.{file['format']}" in answer.headers["Content-Disposition"]


def everything_kept(stack: RunningStack) -> bytes:
    """Return all objects, items and log lines of a stack as one text."""
    s3, dynamodb = stack.client("s3"), stack.client("dynamodb")
    bucket = stack.resources["FilesBucket"]["Ref"]
    found = [
        s3.get_object(Bucket=bucket, Key=version["Key"])["Body"].read()
        for version in s3.list_object_versions(Bucket=bucket).get("Versions", [])
    ]
    for table in ("MainTable", "TransientTable"):
        pages = dynamodb.get_paginator("scan").paginate(TableName=stack.resources[table]["Ref"])
        found += [repr(item).encode() for page in pages for item in page["Items"]]
    folder = Path(StackFolder(stack.folder).functions_log).parent
    found += [file.read_bytes() for file in folder.rglob("*") if file.is_file()]
    return b"\n".join(found)


def test_zero_retention_leaves_nothing_in_the_whole_stack(
    stack: RunningStack, live: ApiClient
) -> None:
    def html(mark: str) -> str:
        script = f"<script>console.log('{mark}'); document.title = '{mark}'</script>"
        return f"<!doctype html><p>{{{{ word }}}} {mark}<img src='https://{mark}.invalid/'>{script}"

    word = {"word": "Vertraulich-0815"}
    delivery = {"type": "binary", "retention": "none"}
    made = live.render(html("streng-geheim"), data=word, delivery=delivery)
    assert "streng-geheim" in text_of(made.content)
    broken = live.render(html("streng-geheim") + "{% nonsense %}", data=word, delivery=delivery)
    assert broken.json()["code"] == "template_syntax_error"
    assert "nonsense" in broken.json()["excerpt"]
    wait = {"wait": {"expression": "document.title == 'streng-geheim?'", "timeout_ms": 300}}
    late = live.render(html("streng-geheim"), data=word, delivery=delivery, output=wait)
    assert late.json()["code"] == "wait_timeout"
    ordinary = live.render(html("ganz-offen"), data={"word": "x"}).json()
    assert live.wait_until_final(ordinary["id"])["status"] == "succeeded"

    kept = everything_kept(stack)

    assert ordinary["id"].encode() in kept
    assert b"ganz-offen" in kept
    assert b"streng-geheim" not in kept
    assert b"Vertraulich-0815" not in kept
    assert b"nonsense" not in kept
    assert live.get(made.headers["X-Render-Id"])["files"] == []
