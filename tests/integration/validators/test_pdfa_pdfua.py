"""PDF/A and PDF/UA, validated by veraPDF; the visible pages do not change."""

import base64
import io
from typing import Any

import pikepdf
import pypdfium2
import pytest
from PIL import Image, ImageChops

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.conformance.report import conformance_report
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.report_section import ReportSection
from tests.builders.pages.real_browser import Render
from tests.integration.validators.conftest import faults

PIXEL = base64.b64encode(
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
).decode()
HEAD = "<!doctype html><html lang=de><meta charset=utf-8><title>Rechnung 1</title><h1>Rechnung</h1>"
# Everything that Chromium writes differently from the standards.
RICH = (
    HEAD
    + f"""<style>td, th {{ border: 1px solid }} .b {{ background: linear-gradient(red, blue) }}
.o {{ opacity: .5 }} .s {{ filter: drop-shadow(2px 2px 2px red) }} .m {{ mix-blend-mode: multiply }}
.t {{ text-shadow: 2px 2px 2px red }} .c {{ clip-path: circle(40%); background: red }}</style>
<div aria-hidden=true style="position: fixed; top: 40%; color: #0002">العربية</div>
<p class=b>Ein <em>kurzer</em>, <strong>fetter</strong> <a href="https://example.com/a">Verweis</a>
<a href="#ende" aria-label="Zum Ende">hier</a> und <a href="https://example.com/a">noch einer</a>.
<ul><li>Eins<li style="background: #eee">Zwei<ul><li>Drei</ul><li><p>Vier</p><p>Fünf</p></ul>
<ol><li><a href="https://example.com/b">
<img alt="Bild" src="data:image/gif;base64,{PIXEL}"></a></ol>
<table><caption>Posten</caption><thead><tr><th>A<th>B</thead><tbody>{"<tr><th>1<td>2" * 60}</table>
<figure><img alt="Rot" src="data:image/gif;base64,{PIXEL}"><figcaption>Abb.</figcaption></figure>
<img alt="" width=9 src="data:image/gif;base64,{PIXEL}"><svg width=9 height=9><path d="M0 0H9V9"/>
</svg><div class=o>halb <p class=m>und halb</p></div><p class=s>Schatten <b>fett</b></p>
<p class=t>Schatten</p><div class=c>rund</div><aside><p>Nebenbei</aside><h2 id=ende>Ende</h2>
<fieldset><legend>L</legend><label>N <input value=x></label><button>K</button></fieldset>
<p>العربية 漢字 ไทย 😀 ½</p>"""
)
HEADER_FOOTER = {
    "header": {"enabled": True, "left": "Seite {{ page }}"},
    "footer": {"enabled": True, "html": "<a href='https://example.com/f'>Fuß</a>"},
    "margin": {"top": "20mm", "bottom": "20mm"},
}
OVERLAID = HEADER_FOOTER | {
    "first_header": {"enabled": True, "html": "<a href='https://example.com/f'>Kopf</a>"},
    "watermark": {"text": "ENTWURF"},
    "outline": True,
    "metadata": {"title": "Titel <&>", "author": "A", "keywords": ["k"], "language": "de-AT"},
}
FILE = {"filename": "a.txt", "content": "YQ==", "content_type": "text/plain"}


def pictures(content: bytes) -> list[Image.Image]:
    document = pypdfium2.PdfDocument(content)
    return [page.render(scale=1).to_pil().convert("RGB") for page in document]


@pytest.mark.parametrize(
    ("pdfa", "pdf", "test"),
    [
        ("2a", {}, False),
        ("3a", HEADER_FOOTER, False),
        ("2a", OVERLAID, True),
        ("3a", OVERLAID, True),
    ],
    ids=["bare", "header and footer", "all without files", "all"],
)
def test_rich_document_conforms_to_the_highest_levels_and_looks_the_same(
    render: Render, judge: LocalValidator, pdfa: str, pdf: dict[str, Any], *, test: bool
) -> None:
    more: dict[str, Any] = {"pdfa": pdfa, "pdfua": True}
    if pdfa == "3a":
        more["attachments"] = [FILE]

    (plain,) = render(RICH, test=test, pdf=pdf).files
    (made,) = render(RICH, test=test, pdf=pdf | more).files

    assert faults(judge, made.content, pdfa, "ua1") == set()
    for before, after in zip(pictures(plain.content), pictures(made.content), strict=True):
        assert ImageChops.difference(before, after).getbbox() is None


def test_conforming_pdf_is_deterministic(render: Render) -> None:
    pdf = OVERLAID | {"pdfa": "3a", "pdfua": True, "attachments": [FILE]}

    once, again = (render(RICH, test=True, pdf=pdf).files[0].content for _ in range(2))

    assert once == again


@pytest.mark.parametrize("pdfa", ["2b", "2u", "3b", "3u"])
def test_lower_levels_need_no_tags(render: Render, judge: LocalValidator, pdfa: str) -> None:
    (made,) = render(RICH, test=True, pdf={**OVERLAID, "pdfa": pdfa, "tagged": False}).files

    assert faults(judge, made.content, pdfa) == set()


@pytest.mark.parametrize("html", ["", "<p></p>", "<!-- nothing -->"])
@pytest.mark.parametrize("pdfa", ["2a", "2b", "3a", "3b"])
def test_empty_document_conforms(
    render: Render, judge: LocalValidator, pdfa: str, html: str
) -> None:
    (made,) = render(html, pdf={"pdfa": pdfa}).files

    assert faults(judge, made.content, pdfa) == set()


def test_pdf_of_the_browser_alone_does_not_conform(browser: Browser, judge: LocalValidator) -> None:
    output = OutputOptions.from_json({})

    def printed(page: BrowserPage) -> bytes:
        page.load(RICH, output)
        return page.pdf(output.pdf)

    untouched = browser.use(printed, Deadline.after(60))

    # No identifiers, no metadata, no output intent; no title, and untagged content.
    archive, everybody = (faults(judge, untouched, flavour) for flavour in ("3b", "ua1"))
    assert archive >= {f"ISO 19005-3:2012 {rule}" for rule in ("6.1.3:1", "6.6.2.1:1", "6.2.4.3:2")}
    assert everybody >= {f"ISO 14289-1:2014 {rule}" for rule in ("7.1:8", "7.1:3")}


@pytest.mark.parametrize(
    ("html", "rule"),
    [
        (HEAD + f"<img src='data:image/gif;base64,{PIXEL}'>", "7.3:1"),
        (HEAD + "<h3>x</h3>", "7.4.2:1"),
        ("<!doctype html><html lang=de><h1>x</h1>", "7.1:9"),
        (HEAD + "\ue123", "7.21.8:1"),
    ],
)
def test_faults_of_the_document_are_reported(
    render: Render, judge: LocalValidator, html: str, rule: str
) -> None:
    (made,) = render(html, pdf={"pdfua": True}).files

    assert any(rule in fault for fault in faults(judge, made.content, "ua1"))


@pytest.mark.parametrize("claimed", [{"pdfua": True}, {"accessibility_report": True}])
@pytest.mark.parametrize(
    "locked", [{}, {"protection": {"user_password": "ü€", "permissions": {"copy": False}}}]
)
def test_report_ignores_protection_and_pdfua_claim(
    render: Render, judge: LocalValidator, claimed: dict[str, Any], locked: dict[str, Any]
) -> None:
    claim_errors = [] if "pdfua" in claimed else ["ISO 14289-1:2014 5:1"]

    passed = pdfua_report(judge, render(RICH, pdf=claimed | locked))
    failed = pdfua_report(judge, render(HEAD + "<h3>x</h3>", pdf=claimed | locked))

    assert (passed["status"], failed["status"]) == ("passed", "failed")
    assert [found["rule"] for found in passed["errors"] + passed["warnings"]] == claim_errors
    assert [found["rule"] for found in failed["errors"]] == ["ISO 14289-1:2014 7.4.2:1"]


@pytest.mark.parametrize(
    ("html", "place"),
    [
        ("<h3>Skipped <b>one</b></h3>", "In the HTML: <h3> “Skipped one”"),
        (f"<h1>a</h1><img class=x src='data:image/gif;base64,{PIXEL}'>", 'In the HTML: <img src="'),
        ("<table id=t><tr><th>a<th>b<tr><td colspan=2>c<td>d</table>", '<table id="t"> “abcd”'),
        ("<p>with \ue123 in it", "(U+E123) in the text of"),
    ],
)
def test_findings_name_the_element_of_the_html(
    render: Render, judge: LocalValidator, html: str, place: str
) -> None:
    report = pdfua_report(judge, render(HEAD + html, pdf={"pdfua": True}))

    assert any(place in each["message"] for each in report["errors"])


def pdfua_report(judge: LocalValidator, outcome: RenderOutcome) -> ReportSection:
    (request,) = outcome.validation_requests
    verdicts = judge.validate(request.content, request.checks, Deadline.after(120))
    places = request.html_places
    return conformance_report(request.checks, verdicts, None, places=places)["pdfua"]


def test_accessibility_report_does_not_change_the_document(render: Render) -> None:
    (plain,) = render(RICH, pdf=OVERLAID).files
    outcome = render(RICH, pdf={"accessibility_report": True, **OVERLAID})

    for before, after in zip(
        pictures(plain.content), pictures(outcome.files[0].content), strict=True
    ):
        assert ImageChops.difference(before, after).getbbox() is None
    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        links = [str(link.get("/A", "")) for page in document.pages for link in page.Annots]
        assert b"pdfuaid:part" not in document.Root.Metadata.read_bytes()
    assert any("https://example.com/f" in link for link in links)
    assert told(outcome) == []


def told(outcome: RenderOutcome) -> list[str]:
    """Return the codes of warnings, but for that of the blending, which print has not."""
    warnings = outcome.trace.warnings
    return [each.code for each in warnings if "mix-blend-mode" not in each.message]


def test_links_are_described_by_their_texts(render: Render) -> None:
    outcome = render(RICH, pdf={"pdfua": True})

    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        texts = [str(link.Contents) for page in document.pages for link in page.get("/Annots", [])]
    assert list(dict.fromkeys(texts)) == ["Verweis", "Zum Ende", "noch einer", "Bild"]
    assert told(outcome) == []


def test_links_of_headers_and_footers_are_removed_with_a_warning(render: Render) -> None:
    outcome = render(RICH, pdf={"pdfua": True, **OVERLAID})

    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        urls = [
            str(link.A.URI)
            for page in document.pages
            for link in page.get("/Annots", [])
            if "/A" in link
        ]
    assert "https://example.com/f" not in urls
    assert told(outcome) == ["feature_unavailable"]


def test_conforming_document_can_be_protected(render: Render) -> None:
    protection = {"owner_password": "owner"}

    (made,) = render(RICH, pdf={"pdfua": True, "protection": protection}).files

    with pikepdf.open(io.BytesIO(made.content)) as document:
        assert b"pdfuaid" in document.Root.Metadata.read_bytes()
        assert document.allow.accessibility
