"""Forms of Gotenberg's routes that no event could carry: taken, bounded, and gone afterwards."""

import io
import os
import socket
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

import httpx
import pytest
from PIL import Image
from pypdf import PdfReader, PdfWriter

from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer
from tests.builders.stack.stores import StackStores
from tests.builders.waiting import PATIENCE_S, eventually

pytestmark = pytest.mark.integration
DRAW: Final = "/forms/chromium/screenshot/html"
PRINT: Final = "/forms/chromium/convert/html"
STRICT: Final = {"failOnResourceLoadingFailed": "true"}
MB: Final = 1_000_000

type Files = list[tuple[str, tuple[str, bytes]]]


@pytest.fixture(scope="module")
def tenant(server: RunningServer) -> RunningStack:
    if not server.is_running:
        server.start()
    return server.create_tenant("Acme")


@pytest.fixture(scope="module")
def client(tenant: RunningStack) -> Iterator[httpx.Client]:
    """Give a client with the key as the password of Basic authentication."""
    auth = ("gotenberg", tenant.live_key)
    with httpx.Client(base_url=tenant.files_host, auth=auth, timeout=PATIENCE_S) as client:
        yield client


def red_png(size: int) -> bytes:
    """Return a picture with so many bytes more than one red pixel needs."""
    made = io.BytesIO()
    Image.new("RGB", (1, 1), "#f00").save(made, "PNG")
    padding = b"paDd" + os.urandom(size)
    chunk = struct.pack(">I", size) + padding + struct.pack(">I", zlib.crc32(padding))
    # Before the chunk that ends every picture, which has 12 bytes.
    return made.getvalue()[:-12] + chunk + made.getvalue()[-12:]


def page_with(pictures: int, size: int) -> Files:
    images = "".join(f"<img src=p{n}.png>" for n in range(pictures))
    style = "<style>body{margin:0;font-size:0} img{width:20px;height:20px}</style>"
    files: Files = [("files", ("index.html", f"{style}{images}".encode()))]
    files += [("files", (f"img/p{n}.png", red_png(size))) for n in range(pictures)]
    return files


def stored_uploads(tenant: RunningStack) -> list[str]:
    return StackStores(tenant).keys("tmp/uploads/")


def peak_mb(pid: int) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) // 1024


def test_a_page_with_many_pictures(
    client: httpx.Client, server: RunningServer, tenant: RunningStack
) -> None:
    before = peak_mb(server.process.pid)

    answer = client.post(DRAW, files=page_with(40, 2 * MB), data=STRICT)

    assert answer.status_code == 200, answer.text
    image = Image.open(io.BytesIO(answer.content)).convert("RGB")
    assert image.crop((0, 0, 800, 20)).getcolors() == [(16_000, (255, 0, 0))]
    # The server passes 80 MB on in pieces.
    assert peak_mb(server.process.pid) - before < 40
    eventually(lambda: not stored_uploads(tenant), pause_s=0.2)


def test_texts_pdfs_and_embedded_files(client: httpx.Client) -> None:
    long = b"<!-- " + b"x" * 5 * MB + b" -->"
    files: Files = [
        ("files", ("index.html", b"<p>long" + long)),
        ("files", ("header.html", b"<p style='font-size:9pt'>Top")),
        ("embeds", ("data.bin", os.urandom(4 * MB))),
    ]
    answer = client.post(PRINT, files=files, data={"marginTop": "1"})
    pdf = follow(client, answer)
    assert "long" in pdf.pages[0].extract_text()
    assert "Top" in pdf.pages[0].extract_text()
    assert len(pdf.attachments["data.bin"][0]) == 4 * MB

    sources: Files = [("files", (f"{n}.pdf", pdf_of(n))) for n in (10, 2)]
    merged = follow(client, client.post("/forms/pdfengines/merge", files=sources))
    assert [page.mediabox.width for page in merged.pages] == [2, 10]


def pdf_of(width: int) -> bytes:
    writer, written = PdfWriter(), io.BytesIO()
    writer.add_blank_page(width, 10)
    writer.add_attachment("padding", os.urandom(2 * MB))
    writer.write(written)
    return written.getvalue()


def follow(client: httpx.Client, answer: httpx.Response) -> PdfReader:
    if answer.status_code == 303:
        answer = client.get(answer.headers["Location"], auth=httpx.Auth())
    assert answer.status_code == 200, answer.text
    return PdfReader(io.BytesIO(answer.content))


def test_a_repeat_makes_no_second_document(client: httpx.Client) -> None:
    files = page_with(2, 3 * MB)
    first, again = (
        client.post(DRAW, files=files, headers={"Idempotency-Key": "large"}) for _ in range(2)
    )
    other = client.post(DRAW, files=page_with(2, 3 * MB), headers={"Idempotency-Key": "large"})

    assert (first.status_code, again.status_code) == (200, 200)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["X-Render-Id"] == first.headers["X-Render-Id"]
    assert other.json()["code"] == "idempotency_key_reused"


@pytest.mark.parametrize(
    ("auth", "code"), [(("x", "plt_live_wrong"), "invalid_api_key"), (None, "authentication")]
)
def test_without_a_key_nothing_is_kept(tenant: RunningStack, auth: Any, code: str) -> None:
    answer = httpx.post(
        tenant.files_host + DRAW, files=page_with(2, 3 * MB), auth=auth, timeout=PATIENCE_S
    )

    assert answer.status_code == 401
    assert answer.json()["code"].startswith(code)
    assert not stored_uploads(tenant)


def test_too_large_forms_and_files(client: httpx.Client, tenant: RunningStack) -> None:
    form = client.post(DRAW, files=page_with(11, 10 * MB))
    assert (form.status_code, form.json()["code"]) == (413, "payload_too_large")
    assert "100000000" in form.json()["detail"]

    html: Files = [("files", ("index.html", b"<p>" + b"x" * 21 * MB))]
    page = client.post(DRAW, files=html)
    assert (page.status_code, page.json()["code"]) == (400, "validation_error")
    assert page.json()["errors"][0]["path"] == "/files"

    fields = client.post(DRAW, files=page_with(1, 1), data={"userAgent": "x" * 9 * MB})
    assert (fields.status_code, fields.json()["code"]) == (413, "payload_too_large")
    eventually(lambda: not stored_uploads(tenant), pause_s=0.2)


def test_damaged_and_cut_forms(client: httpx.Client, tenant: RunningStack) -> None:
    cut = client.post(
        DRAW,
        content=b'--x\r\nContent-Disposition: form-data; name="files"\r\n\r\n' + b"a" * 5 * MB,
        headers={"Content-Type": "multipart/form-data; boundary=x"},
    )
    assert (cut.status_code, cut.json()["code"]) == (400, "validation_error")
    assert "cannot be read" in cut.json()["detail"]

    address = urlsplit(tenant.files_host)
    with socket.create_connection((address.hostname or "", address.port or 0)) as leaving:
        head = f"POST {DRAW} HTTP/1.1\r\nHost: {address.netloc}\r\nContent-Length: {50 * MB}\r\n"
        leaving.sendall(head.encode() + b"Content-Type: multipart/form-data; boundary=x\r\n\r\n")
        leaving.sendall(b"x" * 10 * MB)

    assert client.get("/health").json()["status"] == "up"
    assert not stored_uploads(tenant)
