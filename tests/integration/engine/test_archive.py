"""PDF/A, PDF/UA and hybrids, judged by veraPDF; nothing that is seen changes."""

import base64
import io
from collections.abc import Callable, Iterator
from typing import Any

import pikepdf
import pypdf
import pypdfium2  # type: ignore[import-untyped]
import pytest
from PIL import Image, ImageChops

from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.browser.page import Page
from chalicelib.engine.conformance.checks import Check
from chalicelib.engine.conformance.judge import Judge
from chalicelib.engine.conformance.report import report
from chalicelib.engine.course import Course
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.einvoice.profiles import PROFILES, Profile
from chalicelib.engine.finishing.hybrid import InvoiceFile
from chalicelib.engine.finishing.pdf import finish_pdf
from chalicelib.engine.formats.format import Finishing
from chalicelib.engine.job import Outcome
from chalicelib.engine.options.output import Output
from tests.integration.engine.conftest import Render
from tests.integration.validators.conftest import installed, verdict

PIXEL = base64.b64encode(
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\x00!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
).decode()
HEAD = "<!doctype html><html lang=de><meta charset=utf-8><title>Rechnung 1</title><h1>Rechnung</h1>"
# All that the browser writes otherwise than the standards have it.
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
BANDS = {
    "header": {"enabled": True, "left": "Seite {{ page }}"},
    "footer": {"enabled": True, "html": "<a href='https://example.com/f'>Fuß</a>"},
    "margin": {"top": "20mm", "bottom": "20mm"},
}
STAMPED = BANDS | {
    "first_header": {"enabled": True, "html": "<a href='https://example.com/f'>Kopf</a>"},
    "watermark": {"text": "ENTWURF"},
    "outline": True,
    "metadata": {"title": "Titel <&>", "author": "A", "keywords": ["k"], "language": "de-AT"},
}
FILE = {"filename": "a.txt", "content": "YQ==", "content_type": "text/plain"}


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    judge = Judge(installed())
    yield judge
    judge.close()


def faults(judge: Judge, content: bytes, *flavours: str) -> set[str]:
    """Return the rules that the document breaks."""
    found: set[str] = set()
    for flavour in flavours:
        check = Check.pdfua() if flavour == "ua1" else Check.pdfa(flavour)
        answer = verdict(judge, content, check)
        assert answer.findings is not None, answer.why
        found |= {finding.rule for finding in answer.findings}
    return found


def pictures(content: bytes) -> list[Image.Image]:
    document = pypdfium2.PdfDocument(content)
    return [page.render(scale=1).to_pil().convert("RGB") for page in document]


@pytest.mark.parametrize(
    ("pdf", "test"), [({}, False), (BANDS, False), (STAMPED, True)], ids=["bare", "bands", "all"]
)
@pytest.mark.parametrize("pdfa", ["2a", "3a"])
def test_whatever_is_on_the_page_conforms_to_the_highest_levels_and_looks_as_before(
    render: Render, judge: Judge, pdfa: str, pdf: dict[str, Any], *, test: bool
) -> None:
    more: dict[str, Any] = {"pdfa": pdfa, "pdfua": True}
    if pdfa == "3a":
        more["attachments"] = [FILE]

    (plain,) = render(RICH, test=test, pdf=pdf).files
    (made,) = render(RICH, test=test, pdf=pdf | more).files

    assert faults(judge, made.content, pdfa, "ua1") == set()
    for before, after in zip(pictures(plain.content), pictures(made.content), strict=True):
        assert ImageChops.difference(before, after).getbbox() is None
    (again,) = render(RICH, test=test, pdf=pdf | more).files
    assert again.content == made.content


@pytest.mark.parametrize("pdfa", ["2b", "2u", "3b", "3u"])
def test_lower_levels_need_no_tags(render: Render, judge: Judge, pdfa: str) -> None:
    (made,) = render(RICH, test=True, pdf={**STAMPED, "pdfa": pdfa, "tagged": False}).files

    assert faults(judge, made.content, pdfa) == set()


def test_what_the_browser_prints_is_none_of_them(render: Render, judge: Judge) -> None:
    (plain,) = render(RICH).files

    assert len(faults(judge, plain.content, "3b")) > 1
    assert len(faults(judge, plain.content, "ua1")) > 1


@pytest.mark.parametrize(
    ("html", "rule"),
    [
        (HEAD + f"<img src='data:image/gif;base64,{PIXEL}'>", "7.3:1"),
        (HEAD + "<h3>x</h3>", "7.4.2:1"),
        ("<!doctype html><html lang=de><h1>x</h1>", "7.1:9"),
        (HEAD + "\ue123", "7.21.8:1"),
    ],
)
def test_what_only_its_author_can_change_is_told(
    render: Render, judge: Judge, html: str, rule: str
) -> None:
    (made,) = render(html, pdf={"pdfua": True}).files

    assert any(rule in fault for fault in faults(judge, made.content, "ua1"))


@pytest.mark.parametrize("claimed", [{"pdfua": True}, {"accessibility_report": True}])
@pytest.mark.parametrize(
    "locked", [{}, {"protection": {"user_password": "ü€", "permissions": {"copy": False}}}]
)
def test_a_report_is_that_of_the_document_locked_or_not_claimed_or_not(
    render: Render, judge: Judge, claimed: dict[str, Any], locked: dict[str, Any]
) -> None:
    said = [] if "pdfua" in claimed else ["ISO 14289-1:2014 5:1"]

    passed = pdfua_report(judge, render(RICH, pdf=claimed | locked))
    failed = pdfua_report(judge, render(HEAD + "<h3>x</h3>", pdf=claimed | locked))

    assert (passed["status"], failed["status"]) == ("passed", "failed")
    assert [found["rule"] for found in passed["errors"] + passed["warnings"]] == said
    assert [found["rule"] for found in failed["errors"]] == ["ISO 14289-1:2014 7.4.2:1"]


def pdfua_report(judge: Judge, outcome: Outcome) -> dict[str, Any]:
    (asked,) = outcome.to_judge
    verdicts = judge.judge(asked.content, asked.checks, Deadline.after(120))
    made: dict[str, Any] = report(asked.checks, verdicts, asked.trace)["pdfua"]
    return made


def test_a_report_leaves_the_document_and_its_links_as_they_are(render: Render) -> None:
    (plain,) = render(RICH, pdf=STAMPED).files
    outcome = render(RICH, pdf={"accessibility_report": True, **STAMPED})

    for before, after in zip(
        pictures(plain.content), pictures(outcome.files[0].content), strict=True
    ):
        assert ImageChops.difference(before, after).getbbox() is None
    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        links = [str(link.get("/A", "")) for page in document.pages for link in page.Annots]
        assert b"pdfuaid:part" not in document.Root.Metadata.read_bytes()
    assert any("https://example.com/f" in link for link in links)
    assert not outcome.trace.warnings


def test_links_are_told_by_their_texts(render: Render) -> None:
    outcome = render(RICH, pdf={"pdfua": True})

    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        told = [str(link.Contents) for page in document.pages for link in page.get("/Annots", [])]
    assert list(dict.fromkeys(told)) == ["Verweis", "Zum Ende", "noch einer", "Bild"]
    assert not outcome.trace.warnings


def test_links_of_headers_and_footers_are_left_out_and_that_is_told(render: Render) -> None:
    outcome = render(RICH, pdf={"pdfua": True, **STAMPED})

    with pikepdf.open(io.BytesIO(outcome.files[0].content)) as document:
        told = [
            str(link.A.URI)
            for page in document.pages
            for link in page.get("/Annots", [])
            if "/A" in link
        ]
    assert "https://example.com/f" not in told
    assert [warning.code for warning in outcome.trace.warnings] == ["feature_unavailable"]


def test_a_document_that_is_conforming_may_be_protected(render: Render) -> None:
    protection = {"owner_password": "owner"}

    (made,) = render(RICH, pdf={"pdfua": True, "protection": protection}).files

    with pikepdf.open(io.BytesIO(made.content)) as document:
        assert b"pdfuaid" in document.Root.Metadata.read_bytes()
        assert document.allow.accessibility


def hybrid(browser: Browser, profile: Profile, **pdf: Any) -> bytes:
    """Return a page with an invoice of this profile in it."""
    output = Output.from_json({"pdf": pdf})
    course = Course()

    def fresh_page[Result](work: Callable[[Page], Result]) -> Result:
        return browser.use(work, Deadline.after(30))

    def draw(page: Page) -> bytes:
        page.load(RICH, output)
        printed = page.pdf(output.pdf)
        course.links = page.links
        return printed

    invoice = InvoiceFile(
        b"<invoice/>",
        filename=profile.file_name,
        relationship=profile.relationship,
        level=profile.xmp_level,
        version=profile.xmp_version,
    )
    resources = {each.source: b"a" for each in output.pdf.attachments}
    finishing = Finishing(
        output, resources, test=False, course=course, fresh_page=fresh_page, invoice=invoice
    )
    return finish_pdf(fresh_page(draw), finishing)[0]


@pytest.mark.parametrize("name", list(PROFILES))
def test_an_invoice_of_any_profile_is_in_a_document_for_archives_and_for_everybody(
    browser: Browser, judge: Judge, name: str
) -> None:
    profile = PROFILES[name]

    made = hybrid(browser, profile, pdfua=True)

    assert faults(judge, made, "3b", "ua1") == set()
    with pikepdf.open(io.BytesIO(made)) as document:
        (file,) = document.Root.AF
        packet = document.Root.Metadata.read_bytes().decode()
        assert str(file.AFRelationship) == "/" + profile.relationship
    assert list(pypdf.PdfReader(io.BytesIO(made)).attachments) == [profile.file_name]
    for said in (profile.xmp_level, profile.file_name, profile.xmp_version, "INVOICE"):
        assert f">{said}</fx:" in packet


def test_a_file_of_the_callers_never_takes_the_invoices_name(
    browser: Browser, judge: Judge
) -> None:
    mine = {"filename": "Factur-X.xml", "content": "YQ=="}

    made = hybrid(browser, PROFILES["BASIC"], pdfa="3u", attachments=[mine])

    files = pypdf.PdfReader(io.BytesIO(made)).attachments
    assert {name: bytes(*contents) for name, contents in files.items()} == {
        "factur-x.xml": b"<invoice/>",
        "Factur-X-2.xml": b"a",
    }
    assert faults(judge, made, "3u") == set()
