"""Conversion to PDF/A, judged by veraPDF, and what the tool `validate` asks of it."""

from typing import TYPE_CHECKING, Any, Final

import pytest

from chalicelib.contract.options.pdf import PdfALevel
from chalicelib.contract.options.pdf_tools import PdfaOptions, ValidateOptions
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.conformance.report import conformance_report
from chalicelib.engine.deadline import Deadline
from tests.builders.pages.real_browser import Render
from tests.builders.pdfs import unarchived
from tests.builders.pdfs.tool_call import call_tool
from tests.builders.pdfs.unarchived import Change, document
from tests.integration.validators.conftest import faults, proof
from tests.integration.validators.test_pdfa_pdfua import HEAD, OVERLAID, RICH

if TYPE_CHECKING:
    from chalicelib.engine.report_section import ReportSection

CHANGES: Final[dict[str, tuple[Change, ...]]] = {
    "bare": (),
    "scripts": (unarchived.add_scripts,),
    "media": (unarchived.add_media,),
    "annotations": (unarchived.add_annotations,),
    "form": (unarchived.add_form,),
    "attachments": (unarchived.add_attachments,),
    "layers": (unarchived.add_layers,),
    "pictures": (unarchived.add_pictures,),
    "inks": (unarchived.add_cmyk,),
    "profile of inks": (unarchived.add_print_intent,),
    "LZW": (unarchived.pack_with_lzw,),
    "metadata": (unarchived.add_metadata,),
    "composite font": (unarchived.composite_font,),
    "named characters": (unarchived.different_names,),
    "inherited resources": (unarchived.inherit_resources,),
    "everything": (
        *(unarchived.add_form, unarchived.add_annotations, unarchived.add_pictures),
        *(unarchived.add_layers, unarchived.add_metadata, unarchived.add_scripts),
        *(unarchived.add_attachments, unarchived.add_media),
    ),
}
LEVELS: Final[tuple[PdfALevel, ...]] = ("2b", "2u", "3b", "3u")


def convert(content: bytes, level: PdfALevel, *, test: bool = False) -> bytes:
    return call_tool(PdfaOptions(level), content, test=test).file.content


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", CHANGES)
def test_odd_document_conforms_once_it_is_converted(
    judge: LocalValidator, kind: str, level: PdfALevel
) -> None:
    source = document(*CHANGES[kind])

    assert faults(judge, source, level)
    assert faults(judge, convert(source, level), level) == set()


@pytest.mark.parametrize("name", ["Courier-Bold", "Times-Italic", "Symbol", "ZapfDingbats"])
def test_standard_font_gets_glyphs_for_all_its_codes(judge: LocalValidator, name: str) -> None:
    font = unarchived.base_font(name)
    if name in ("Symbol", "ZapfDingbats"):
        del font["/Encoding"]
    # No font here has the crosses and the star of ZapfDingbats.
    text = bytes(code for code in range(33, 254) if chr(code) not in "\\()=>?A")
    source = document(content=b"BT /F 9 Tf 9 99 Td (%s) Tj ET" % text, font=font)

    assert faults(judge, convert(source, "2u"), "2u") == set()


@pytest.mark.parametrize("test", [False, True])
@pytest.mark.parametrize("level", ["2a", "3a", "2u"])
def test_document_of_the_browser_conforms(
    render: Render, judge: LocalValidator, level: PdfALevel, *, test: bool
) -> None:
    (printed,) = render(HEAD + "<p>العربية 漢字 ไทย 😀 <a href='https://example.com/'>x</a>").files

    assert faults(judge, convert(printed.content, level, test=test), level) == set()


@pytest.mark.parametrize("level", ["2u", "3a"])
def test_archive_of_the_service_stays_one(
    render: Render, judge: LocalValidator, level: PdfALevel
) -> None:
    pdf: dict[str, Any] = OVERLAID | {"pdfa": "3a", "pdfua": True}
    (archive,) = render(RICH, pdf=pdf).files

    assert faults(judge, convert(archive.content, level), level, "ua1") == set()


def test_hybrid_invoice_keeps_its_invoice(judge: LocalValidator) -> None:
    content = convert(proof("pdf-3a"), "3b")

    assert faults(judge, content, "3b") == set()


@pytest.mark.parametrize(
    ("content", "statuses"),
    [
        (document(), {"pdfa": "failed", "pdfua": "failed"}),
        (convert(document(), "2b"), {"pdfa": "passed"}),
        (proof("pdf-3a"), {"pdfa": "passed", "pdfua": "passed"}),
        (unarchived.locked(convert(document(), "2b"), user=""), {"pdfa": "failed"}),
    ],
    ids=["claims nothing", "converted", "PDF/A and PDF/UA", "protected"],
)
def test_validate_reports_what_the_validators_find(
    judge: LocalValidator, content: bytes, statuses: dict[str, str]
) -> None:
    report: dict[str, ReportSection] = {}
    for check in call_tool(ValidateOptions(), content).output.checks:
        verdicts = judge.validate(check.content or content, check.checks, Deadline.after(120))
        report |= conformance_report(check.checks, verdicts, None, check.own_findings)

    assert {subject: part["status"] for subject, part in report.items()} == statuses
