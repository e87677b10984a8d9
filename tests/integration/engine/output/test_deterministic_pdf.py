"""Determinism of the PDF, byte for byte, without trace of the internal origin."""

import base64
import io
from collections.abc import Mapping
from typing import Any, Final

import pikepdf
import pytest
from PIL import Image

from chalicelib.engine.browser.pool.browser_pool import MAX_LANE_DOCUMENTS
from chalicelib.engine.browser.pool.lifecycle import Browser
from tests.builders.pages.real_browser import Render, folder, new_browser, render_with

OTHERS: Final = 9


def data_uri(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def picture() -> bytes:
    result = io.BytesIO()
    Image.radial_gradient("L").save(result, "PNG")
    return result.getvalue()


def web_font() -> bytes:
    fonts = folder("PLATEN_FONTS_DIR", "fonts")
    return next(path for path in sorted(fonts.rglob("*.ttf")) if "Tinos" in path.name).read_bytes()


DOCUMENT: Final = f"""<!doctype html><html lang=de><style>
@font-face {{ font-family: own; src: url({data_uri("font/ttf", web_font())}) }}
h1 {{ font-family: own }} .q {{ break-before: page }}
</style><h1 id=top>Größe 日本語 😀 عربي</h1>
<p>See <a href='/abs?a=(1)'>one</a>, <a href='rel.html#x'>two</a>, <a href='#top'>three</a>,
<a href='https://example.com/'>four</a>, <a href=''>five</a>.
<img alt=x src="{data_uri("image/png", picture())}"><svg width=9 height=9><circle r=4 /></svg>
<p>(node00000001) and <img alt=node00000007 src="{data_uri("image/png", picture())}">
<table class=q><thead><tr><th>Item<th>Price<tbody>{"<tr><th>Row<td>1" * 70}</table>
<form><input value=a><select><option>b</select></form><canvas></canvas>"""
HEADER: Final = {
    "enabled": True,
    "html": "<p style='font-size:9px'>at <b class=url></b><b class=title></b>, "
    "<b class=pageNumber></b>",
}
OPTIONS: Final[dict[str, dict[str, Any]]] = {
    "plain": {},
    "outlined, with header and footer": {"outline": True, "header": HEADER, "footer": HEADER},
    "untagged": {"tagged": False},
    "finished": {
        "watermark": {"text": "Entwurf 草稿 😀"},
        "metadata": {"title": "T", "keywords": list("qwertzuiop"), "author": "ü"},
        "attachments": [{"content": "QQ==", "filename": "a.txt"}],
    },
}


@pytest.fixture(scope="module")
def expected(browser: Browser) -> Mapping[str, bytes]:
    """Return the files of a browser that many documents share."""
    return {name: pdf_of(browser, name) for name in OPTIONS}


@pytest.mark.parametrize("lane", [None, "ws_ours"])
def test_bytes_are_equal_across_renders_and_browsers(
    expected: Mapping[str, bytes], lane: str | None
) -> None:
    browser = new_browser()
    # In a lane as many as follow each other in one context.
    for number in range(OTHERS if lane is None else MAX_LANE_DOCUMENTS):
        other = f"<title>{number}</title><table>{'<tr><th>a<td>b' * number}</table>"
        render_with(browser, other, pdf=OPTIONS["plain"], lane=lane)
    assert browser.prepare().result().lane == lane
    made = {name: pdf_of(browser, name, lane=lane) for name in reversed(OPTIONS)}
    browser.close()

    assert [name for name in OPTIONS if made[name] != expected[name]] == []


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("test", [False, True])
def test_file_has_fixed_dates_and_no_internal_origin(
    render: Render, name: str, *, test: bool
) -> None:
    (produced,) = render(DOCUMENT, pdf=OPTIONS[name], test=test).files

    with pikepdf.open(io.BytesIO(produced.content)) as document:
        assert document.check_pdf_syntax() == []
        assert len(document.pages) == produced.pages
        info = {key: str(value) for key, value in document.docinfo.items()}
        assert info["/CreationDate"] == info["/ModDate"] == "D:20000101000000+00'00'"
        assert len(bytes(document.trailer.ID[0])) == 16
        links = [str(link.A.URI) for link in document.pages[0].Annots if "/A" in link]
        assert links == ["/abs?a=(1)", "/rel.html#x", "https://example.com/", "/"]
        everything = b"".join(
            part.unparse(resolved=True) + unpacked(part) for part in document.objects
        )
    assert b"localhost" not in everything
    assert b".invalid" not in everything


def test_structure_ids_count_from_one_and_resolve_to_their_cells(render: Render) -> None:
    (produced,) = render(DOCUMENT).files

    with pikepdf.open(io.BytesIO(produced.content)) as document:
        cells = [part for part in document.objects if is_element(part, "/TH")]
        ids = {str(cell.ID): cell for cell in cells if "/ID" in cell}
        tree = dict(pikepdf.NameTree(document.Root.StructTreeRoot.IDTree).items())
        named = {
            str(name)
            for part in document.objects
            if is_element(part, "/TD")
            for attributes in part.A
            for name in attributes.get("/Headers", [])
        }
        texts = [str(part.Alt) for part in document.objects if is_element(part, "/Figure")]
        assert sorted(ids) == [f"node{number:08d}" for number in range(1, 72)]
        assert {name: cell.objgen for name, cell in tree.items()} == {
            name: cell.objgen for name, cell in ids.items()
        }
        assert named == set(ids)
    # Text that only looks like an id is not changed.
    assert "node00000007" in texts


def test_created_at_sets_the_creation_date(render: Render) -> None:
    created = {"created_at": "2026-03-04T05:06:07+02:00"}

    (produced,) = render("<p>x", pdf={"metadata": created}).files

    with pikepdf.open(io.BytesIO(produced.content)) as document:
        assert document.docinfo["/CreationDate"] == "D:20260304030607+00'00'"
        with document.open_metadata() as packet:
            assert packet["xmp:CreateDate"] == "2026-03-04T03:06:07Z"


def pdf_of(browser: Any, name: str, **options: Any) -> bytes:
    (produced,) = render_with(browser, DOCUMENT, pdf=OPTIONS[name], **options).files
    return produced.content


def unpacked(part: Any) -> bytes:
    if not isinstance(part, pikepdf.Stream) or part.get("/Filter") == "/DCTDecode":
        return b""
    return part.read_bytes()


def is_element(part: Any, kind: str) -> bool:
    return isinstance(part, pikepdf.Dictionary) and part.get("/S") == kind
