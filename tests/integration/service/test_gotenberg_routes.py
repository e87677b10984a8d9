"""Requests as clients of Gotenberg send them, against the whole service."""

import io
from collections.abc import Iterator, Mapping
from typing import Any, Final

import httpx
import pytest
from PIL import Image
from pypdf import PdfReader

from infra.local.running_stack import RunningStack

pytestmark = pytest.mark.integration

LETTER: Final = (612, 792)
RED: Final = "<style>html{background:#f00}</style>"


@pytest.fixture(scope="module")
def client(stack: RunningStack) -> Iterator[httpx.Client]:
    """Give a client with the key as the password of Basic authentication."""
    auth = ("gotenberg", stack.live_key)
    with httpx.Client(base_url=stack.files_host, auth=auth, timeout=60) as client:
        yield client


def post(
    client: httpx.Client,
    path: str,
    files: Mapping[str, bytes | str],
    **fields: str,
) -> bytes:
    sent: Any = [("files", (name, content)) for name, content in files.items()]
    answer = client.post(f"/forms/{path}", files=sent or None, data=fields)
    assert answer.status_code == 200, answer.text
    return answer.content


def texts(pdf: bytes) -> list[str]:
    return [" ".join(page.extract_text().split()) for page in PdfReader(io.BytesIO(pdf)).pages]


def picture(content: bytes) -> Image.Image:
    return Image.open(io.BytesIO(content)).convert("RGB")


def test_html_with_files_beside_it(client: httpx.Client) -> None:
    files = {
        "index.html": "<link rel=stylesheet href=style.css><h1>Hello</h1><h1>Again</h1>",
        "css/style.css": "h1 + h1 { break-before: page }",
        "header.html": "<p style='font-size:9pt'>Offer</p>",
        "footer.html": "<p style='font-size:9pt'><span class=pageNumber></span> of "
        "<span class=totalPages></span></p>",
    }

    pdf = post(client, "chromium/convert/html", files, marginTop="1", marginBottom="1")

    assert texts(pdf) == ["Hello Offer 1 of 2", "Again Offer 2 of 2"]
    box = PdfReader(io.BytesIO(pdf)).pages[0].mediabox
    assert (round(box.width), round(box.height)) == LETTER


def test_braces_are_text(client: httpx.Client) -> None:
    pdf = post(client, "chromium/convert/html", {"index.html": "<p>{{ name }} {% if %}</p>"})

    assert texts(pdf) == ["{{ name }} {% if %}"]


def test_markdown_files(client: httpx.Client) -> None:
    files = {
        "index.html": '<h1>{{ title }}</h1>{{ toHTML "a.md" }}<hr>{{toHTML "b.md"}}'
        # The first brace is text.
        '{{{ toHTML "a.md" }}}',
        "a.md": "# One\n\n<script>document.title = 'x'</script>",
        "b.md": "*two* {{ three }}",
    }

    pdf = post(client, "chromium/convert/markdown", files)

    (text,) = texts(pdf)
    assert "{{ title }}" in text
    assert "One" in text
    assert "two {{ three }}" in text


def test_one_page_as_long_as_its_content(client: httpx.Client) -> None:
    html = "<div style='height: 3000px'>x</div>"

    pdf = post(client, "chromium/convert/html", {"index.html": html}, singlePage="true")

    (page,) = PdfReader(io.BytesIO(pdf)).pages
    assert page.mediabox.height > 3000 * 0.75


@pytest.mark.parametrize(
    ("fields", "size"),
    [({}, (800, 2000)), ({"clip": "true"}, (800, 600)), ({"selector": "#a"}, (100, 50))],
)
def test_sizes_of_screenshots(
    client: httpx.Client, fields: dict[str, str], size: tuple[int, int]
) -> None:
    box = "<div id=a style='width:100px;height:50px'></div>"
    html = f"{RED}<body style='margin:0;height:2000px'>{box}"

    image = picture(post(client, "chromium/screenshot/html", {"index.html": html}, **fields))

    assert image.size == size
    assert image.getpixel((5, 5)) == (255, 0, 0)


def test_pdfs_are_merged_by_their_numbers(client: httpx.Client) -> None:
    made = {
        f"{name}.pdf": post(client, "chromium/convert/html", {"index.html": f"<p>{name}</p>"})
        for name in ("10", "2", "b", "a")
    }

    assert texts(post(client, "pdfengines/merge", made)) == ["2", "10", "a", "b"]


def test_embedded_files(client: httpx.Client) -> None:
    sent: Any = [
        ("files", ("index.html", b"<p>x")),
        ("embeds", ("data.xml", b"<a/>", "application/xml")),
    ]

    answer = client.post("/forms/chromium/convert/html", files=sent)

    assert PdfReader(io.BytesIO(answer.content)).attachments["data.xml"] == [b"<a/>"]


def test_private_addresses_are_refused(client: httpx.Client) -> None:
    answer = client.post("/forms/chromium/convert/url", files={"url": (None, "http://10.0.0.1/")})

    assert (answer.status_code, answer.json()["code"]) == (422, "url_not_allowed")
