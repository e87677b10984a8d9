"""Headers and footers, alike on all pages or not, as other programs read them."""

import io
from collections.abc import Iterator
from typing import Any

import pikepdf
import pypdf
import pypdfium2
import pytest
from PIL import ImageChops

from chalicelib.core.errors import RenderFailure
from tests.builders.pages.real_browser import Render

BREAK = "<p style='break-before: page'>"
THREE = f"<!doctype html><html lang=en><title>A & B</title><h1>One</h1>{BREAK}Two{BREAK}Three"
NUMBERED = {"enabled": True, "left": "Head", "right": "{{ page }} of {{ pages }}"}
NONE = {"enabled": False}


def texts(content: bytes) -> list[str]:
    pages = pypdf.PdfReader(io.BytesIO(content)).pages
    return [" ".join(page.extract_text().split()) for page in pages]


def pdf(render: Render, html: str = THREE, **options: Any) -> bytes:
    (produced,) = render(html, pdf=options).files
    return produced.content


def text_band(text: str) -> dict[str, Any]:
    return {"enabled": True, "center": text}


@pytest.mark.parametrize("start", [1, 5])
def test_placeholders_are_filled_in(render: Render, start: int) -> None:
    header = {
        "enabled": True,
        "left": "<b> {{ title }}",
        "center": "{{ x }}",
        "right": "{{ date }}",
    }
    footer = {"enabled": True, "html": "<i class=pageNumber>old</i>/<i class=totalPages></i>"}

    made = texts(pdf(render, header=header, footer=footer, page_number_start=start))

    for number, text in enumerate(made, start):
        assert "<b> A & B" in text
        assert "{{ x }}" in text
        assert f"{number}/{start + 2}" in text
        assert "old" not in text
        assert any(f"/{year}, " in text for year in range(26, 99))


def test_first_and_last_pages_have_own_headers_and_footers(render: Render) -> None:
    made = texts(
        pdf(
            render,
            header=NUMBERED,
            footer=text_band("below"),
            first_header=NONE,
            first_footer=text_band("first below"),
            last_footer=text_band("last below {{ pages }}"),
        )
    )

    assert made == [
        "One first below",
        "Two Head 2 of 3 below",
        "Three Head 3 of 3 last below 3",
    ]


def test_page_numbers_start_at_page_number_start(render: Render) -> None:
    ends = [
        [
            text.split("Head ")[1]
            for text in texts(pdf(render, header=NUMBERED, page_number_start=n))
        ]
        for n in (0, 1_000_000)
    ]

    assert ends == [
        ["0 of 2", "1 of 2", "2 of 2"],
        ["1000000 of 1000002", "1000001 of 1000002", "1000002 of 1000002"],
    ]


def test_the_document_is_printed_once(render: Render) -> None:
    script = "<script>onbeforeprint = () => console.log('printing')</script>"

    outcome = render(THREE + script, pdf={"header": NUMBERED, "last_footer": text_band("end")})

    assert outcome.trace.logs == ("log: printing",)


def test_overlay_looks_like_a_header_printed_by_the_browser(render: Render) -> None:
    html = "<div style='width:100%;background:#fc0;color:#900;font:italic 9px serif'>Text</div>"
    footer = {"enabled": True, "html": html}

    printed, put_on = (
        pypdfium2.PdfDocument(made).get_page(1).render(scale=2).to_pil()
        for made in (
            pdf(render, header=NUMBERED, footer=footer),
            pdf(render, header=NUMBERED, footer=footer, first_header=NONE),
        )
    )

    # Tolerates half a pixel of height, which leaves shadows; another position or font fails.
    difference = ImageChops.difference(printed.convert("L"), put_on.convert("L"))
    assert sum(difference.point(lambda value: value > 100 and 255).histogram()[1:]) < 200
    assert printed.getpixel((300, printed.height - 36)) == (255, 204, 0)


def test_headers_follow_the_page_sizes(render: Render) -> None:
    html = (
        "<style>@page wide { size: A5 landscape } div { page: wide }</style>"
        f"One<div>Two</div>{BREAK}Three"
    )
    header = {"enabled": True, "html": "<div style='width:100%;height:9px;background:red'></div>"}

    document = pypdfium2.PdfDocument(
        pdf(render, html, header=header, last_footer=text_band("end"), page_size="A5")
    )

    for page, size in zip(document, ((420, 595), (595, 420), (420, 595)), strict=True):
        assert page.get_size() == pytest.approx(size, abs=1)
        picture = page.render().to_pil()
        reds = [x for x in range(picture.width) if picture.getpixel((x, 18)) == (255, 0, 0)]
        assert (reds[0], reds[-1]) == (0, size[0] - 1)


LINKED = {"enabled": True, "html": "<a href='https://example.com/imprint' style='color:#0a0'>i</a>"}


def test_overlay_is_an_artifact_and_the_tags_stay(render: Render) -> None:
    plain = pikepdf.open(io.BytesIO(pdf(render)))
    marked = pikepdf.open(io.BytesIO(pdf(render, header=NUMBERED, last_footer=LINKED)))

    assert list(roles(marked.Root.StructTreeRoot)) == list(roles(plain.Root.StructTreeRoot))
    last = marked.pages[-1]
    (link,) = last.Annots
    assert link.A.URI == "https://example.com/imprint"
    assert 10 < float(link.Rect[1]) < 30
    depth = 0
    for instruction in pikepdf.parse_content_stream(last):
        operator = str(instruction.operator)
        if operator in {"BDC", "BMC"}:
            depth += instruction.operands[0] == pikepdf.Name.Artifact
        depth -= operator == "EMC" and depth > 0
        if operator == "Do":
            assert depth == 1
    (form,) = last.Resources.XObject.values()
    assert all(font.get("/ToUnicode") for font in form.Resources.Font.values())


def roles(element: Any) -> Iterator[str]:
    kids = element.get("/K", [])
    for kid in kids if isinstance(kids, pikepdf.Array) else [kids]:
        if isinstance(kid, pikepdf.Dictionary) and "/S" in kid:
            yield str(kid.S)
            yield from roles(kid)


def test_page_ranges_keep_the_original_page_numbers(render: Render) -> None:
    table = "<table><thead><tr><th>Name<tbody>" + "<tr><td>row" * 60 + "</table>"
    html = f"{THREE}<h2 id=end>Four</h2>{table}<a href=#end>up</a>"
    options = {"header": NUMBERED, "last_footer": text_band("end"), "outline": True}

    (produced,) = render(html, pdf={**options, "page_ranges": "2, 4-9"}).files

    assert produced.pages == 2
    two, four = texts(produced.content)
    assert (two, four.split("Head ")[1]) == ("Two Head 2 of 4", "4 of 4 end")
    document = pikepdf.open(io.BytesIO(produced.content))
    elements = list(roles(document.Root.StructTreeRoot))
    assert elements[:5] == ["/Document", "/P", "/NonStruct", "/Table", "/TR"]
    assert "/H2" not in elements
    assert "/Outlines" not in document.Root
    assert sum(1 for each in document.objects if is_page(each)) == 2
    with pytest.raises(RenderFailure, match="page 5; the document has 4 pages"):
        render(html, pdf={**options, "page_ranges": "1,5"})


def test_page_ranges_keep_the_given_language(render: Render) -> None:
    options = {"header": NUMBERED, "last_footer": text_band("end"), "metadata": {"language": "de"}}

    (produced,) = render(f"<html lang=en>{THREE}", pdf={**options, "page_ranges": "2"}).files

    document = pikepdf.open(io.BytesIO(produced.content))
    assert produced.pages == 1
    assert document.Root.Lang == document.Root.StructTreeRoot.K.Lang == "de"


def is_page(each: Any) -> bool:
    return isinstance(each, pikepdf.Dictionary) and each.get("/Type") == "/Page"


def test_headers_run_no_scripts_and_what_they_lack_is_told(render: Render) -> None:
    html = (
        "<script>document.write('ran')</script><img src='https://x.invalid/a.png' width=5 height=5>"
        "<img src=x onerror=\"document.body.append('ran')\">shown"
    )

    outcome = render(THREE, pdf={"header": {"enabled": True, "html": html}, "first_footer": LINKED})

    assert [text.endswith("shown") or "shown" in text for text in texts(outcome.files[0].content)]
    assert not any("ran" in text for text in texts(outcome.files[0].content))
    missing = [(each.code, each.detail) for each in outcome.trace.warnings]
    assert missing == [("asset_failed", "https://x.invalid/a.png"), ("asset_failed", "x")]


@pytest.mark.parametrize(
    "style",
    [
        "*{display:block!important;break-before:page!important;contain:none!important}",
        "@page{size:5cm 5cm;margin:3cm} html,body{padding:9cm;height:300cm} #header{height:99cm}",
        "section{position:fixed!important;float:left;margin:50cm} div{break-after:page}",
    ],
)
def test_styles_of_a_header_do_not_change_the_pages(render: Render, style: str) -> None:
    header = {"enabled": True, "html": f"<style>{style}</style><p>Head"}

    document = pypdfium2.PdfDocument(pdf(render, header=header, last_footer=text_band("end")))

    assert [page.get_size() for page in document] == [pytest.approx((595, 842), abs=1)] * 3


def test_header_that_adds_pages_fails(render: Render) -> None:
    html = "<style>body::after { content: 'x'; display: block; break-before: page }</style>"

    with pytest.raises(RenderFailure, match="has styles that change the pages"):
        render(
            THREE, pdf={"header": {"enabled": True, "html": html}, "last_footer": text_band("x")}
        )


def test_missing_title_is_empty(render: Render) -> None:
    title = {"enabled": True, "left": "[{{ title }}]"}

    for footer in (None, text_band("x")):
        made = pdf(render, "<p>untitled", header=title, first_footer=footer)
        assert "[]" in texts(made)[0].replace(" ", "")


def test_the_same_request_gives_the_same_bytes(render: Render) -> None:
    first, second = (
        pdf(render, header=NUMBERED, first_header=LINKED, outline=True) for _ in range(2)
    )

    assert first == second


TALL = "<div style='height:10mm'>x</div><style>#footer{padding:0!important}</style>"


@pytest.mark.parametrize(
    ("style", "options", "overlapping"),
    [
        ("", {"header": {"enabled": True, "left": "x", "height": "20mm"}}, []),
        ("", {"header": {"enabled": True, "left": "x", "height": "20.5mm"}}, ["header"]),
        ("", {"footer": {"enabled": True, "html": TALL}}, []),
        ("", {"footer": {"enabled": True, "html": f"<div>{TALL * 3}</div>"}}, ["footer"]),
        (
            "@page { margin: 31mm }",
            {"footer": {"enabled": True, "html": f"<div>{TALL * 3}</div>"}},
            [],
        ),
        ("@page { margin: 0 }", {"footer": {"enabled": True, "left": "x"}}, ["footer"]),
        ("@page { margin: calc(1mm - 1q) }", {"footer": NUMBERED}, ["footer"]),
        ("@page { margin: 0.2em }", {"footer": NUMBERED}, ["footer"]),
        ("@page { margin: 5em }", {"header": {**NUMBERED, "height": "21mm"}}, []),
        ("@import 'data:text/css,@page{margin:0}'", {"footer": NUMBERED}, ["footer"]),
        ("@media print { @page { margin-top: 0 } }", {"footer": NUMBERED}, []),
        ("", {"header": {"enabled": True, "html": " "}, "margin": {"top": "0"}}, []),
        ("", {"header": NUMBERED, "first_header": {**NUMBERED, "height": "9cm"}}, ["first_header"]),
    ],
)
def test_header_or_footer_taller_than_its_margin_gives_a_warning(
    render: Render, style: str, options: dict[str, Any], overlapping: list[str]
) -> None:
    margin = {"top": "20mm", "bottom": "20mm"}

    warnings = render(f"<style>{style}</style>x", pdf={"margin": margin, **options}).trace.warnings

    assert [(warning.code, warning.detail) for warning in warnings] == [
        ("header_footer_overlap", f"/output/pdf/{name}") for name in overlapping
    ]
