"""Ignored options: every option without effect on the chosen formats, and no other."""

from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.ignored_options import ignored_option_warnings

BAND = {"enabled": True, "html": "<p>x"}
PDF: dict[str, Any] = {
    "page_size": "A5",
    "landscape": True,
    "margin": {"top": "1mm"},
    "scale": 0.5,
    "page_ranges": "1",
    "print_background": False,
    "prefer_css_page_size": False,
    "header": BAND,
    "footer": BAND,
    "first_header": BAND | {"html": "<p>y"},
    "first_footer": {"enabled": False},
    "last_footer": BAND | {"html": "<p>z"},
    "page_number_start": 2,
    "tagged": False,
    "outline": True,
    "accessibility_report": True,
    "metadata": {"title": "x"},
    "attachments": [{"upload_id": "upl_1", "filename": "x"}],
    "protection": {"user_password": "x"},
    "watermark": {"text": "x"},
}
IMAGE: dict[str, Any] = {
    "width": 10,
    "height": 10,
    "scale": 2,
    "fit": "cover",
    "full_page": True,
    "transparent": True,
    "clip_selector": "p",
    "format_options": {"quality": 5},
    "viewport": {"width": 10},
    "wait": {"delay_ms": 1},
}


def reported_options(**output: Any) -> set[str]:
    warnings = list(ignored_option_warnings(OutputOptions.from_json(output)))

    assert {warning.code for warning in warnings} <= {"feature_unavailable"}
    assert all(str(warning.detail) in warning.message for warning in warnings)
    return {str(warning.detail).removeprefix("output.") for warning in warnings}


@pytest.mark.parametrize("format_", ["png", "jpeg", "webp", "html"])
@pytest.mark.parametrize("name", PDF)
def test_unused_pdf_options_are_reported(name: str, format_: str) -> None:
    assert reported_options(format=format_, pdf={name: PDF[name]}) <= {f"pdf.{name}"}
    assert f"pdf.{name}" in reported_options(format=format_, pdf=PDF)


@pytest.mark.parametrize("format_", ["pdf", "html"])
def test_unused_image_options_are_reported(format_: str) -> None:
    assert reported_options(format=format_, image=IMAGE) == {f"image.{name}" for name in IMAGE}
    assert reported_options(format=format_, image={"omit_background": True}) == {
        "image.omit_background"
    }


@pytest.mark.parametrize("name", PDF)
def test_pdf_uses_every_pdf_option(name: str) -> None:
    assert reported_options(formats=["png", "pdf"], pdf={name: PDF[name]}) == set()


def test_only_tagged_documents_get_an_accessibility_report() -> None:
    assert reported_options(pdf={"accessibility_report": True, "tagged": False}) == {
        "pdf.accessibility_report"
    }


@pytest.mark.parametrize(
    ("formats", "options", "ignored"),
    [
        (["png"], {"quality": 5}, {"quality"}),
        (["webp"], {"quality": 5}, set()),
        (["webp"], {"quality": 5, "lossless": True}, {"quality"}),
        (["webp", "jpeg"], {"quality": 5, "lossless": True, "progressive": True}, set()),
        (["png", "webp"], {"quality": 5, "progressive": True}, {"progressive"}),
        (["jpeg"], {"lossless": True}, {"lossless"}),
        (["jpeg"], {"lossless": False}, set()),
    ],
)
def test_unused_compression_is_reported_by_format(
    formats: list[str], options: dict[str, Any], ignored: set[str]
) -> None:
    expected = {f"image.format_options.{name}" for name in ignored}

    assert reported_options(formats=formats, image={"format_options": options}) == expected


@pytest.mark.parametrize(
    ("output", "ignored"),
    [
        ({"format": "png", "image": {"fit": "cover", "width": 5}}, {"image.fit"}),
        ({"format": "png", "image": {"fit": "cover", "width": 5, "height": 5}}, set()),
        (
            {"format": "png", "image": {"full_page": True, "clip_selector": "p"}},
            {"image.full_page"},
        ),
        ({"formats": ["png", "jpeg"], "image": {"transparent": True}}, {"image.transparent"}),
        ({"formats": ["png", "webp"], "image": {"transparent": True}}, set()),
        ({"format": "zip", "pdf": {"landscape": True}, "image": {"scale": 2}}, {"image.scale"}),
        ({"format": "html", "pdf": {"page_size": "A4", "header": {"enabled": False}}}, set()),
    ],
)
def test_conflicting_options_are_reported(output: dict[str, Any], ignored: set[str]) -> None:
    assert reported_options(**output) == ignored


@pytest.mark.parametrize(
    "name", ["header", "footer", "first_header", "first_footer", "last_footer"]
)
@pytest.mark.parametrize("content", ["html", "left", "center", "right"])
def test_header_or_footer_that_is_not_enabled_is_reported(name: str, content: str) -> None:
    part = {content: "Page 1"}

    assert reported_options(format="pdf", pdf={name: part}) == {f"pdf.{name}"}
    assert reported_options(format="pdf", pdf={name: part | {"enabled": True}}) == set()
    assert reported_options(format="pdf", pdf={name: {"enabled": False}}) == set()
