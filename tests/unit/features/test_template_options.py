"""Default options of a template, merged with those of a request."""

from typing import Any

import pytest

from chalicelib.contract.render.output import complete_output
from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.model import SourceBundle
from chalicelib.features.templates.options import (
    check_einvoice_carrier,
    check_options,
    merged_output,
)

LETTER = {"pdf": {"page_size": "Letter", "margin": {"top": "5mm", "left": "1mm"}}}
SIZED = {"pdf": {"width": "10cm", "height": "5cm"}}
A5 = {"pdf": {"page_size": "A5"}}
RECEIPT = {"pdf": {"width": "80mm", "height": "auto"}}
MARKED = {"pdf": {"watermark": {"text": "A", "angle": 0}}}
SHUT = {"pdf": {"protection": {"user_password": "a", "permissions": {"print": False}}}}
ARCHIVED = {"pdf": {"pdfa": "2b", "pdfua": True, "scale": 2}}
TEXTS = {"pdf": {"header": {"enabled": True, "left": "x", "height": "9mm"}}}


@pytest.mark.parametrize(
    ("options", "requested", "output"),
    [
        ({}, {"format": "png"}, {"format": "png"}),
        ({"output_format": "png"}, {}, {"format": "png"}),
        ({"output_format": "png"}, {"format": "jpeg"}, {"format": "jpeg"}),
        ({"output_format": "png"}, {"formats": ["pdf"]}, {"formats": ["pdf"]}),
        ({"output_format": "png"}, {"format": None}, {"format": "png"}),
        ({"strict_undefined": True}, {"strict_undefined": False}, {"strict_undefined": False}),
        ({"filename": "{{ n }}"}, {"filename": None}, {"filename": "{{ n }}"}),
        (
            LETTER,
            {"pdf": {"margin": {"top": "9mm"}, "landscape": True}},
            {
                "pdf": {
                    "page_size": "Letter",
                    "margin": {"top": "9mm", "left": "1mm"},
                    "landscape": True,
                }
            },
        ),
        (LETTER, {"pdf": None}, LETTER),
        (SIZED, {"pdf": {"page_size": "A5"}}, {"pdf": {"page_size": "A5"}}),
        (A5, SIZED, SIZED),
        (A5, {"pdf": {"height": "auto"}}, {"pdf": {"page_size": "A5", "height": "auto"}}),
        (
            {"pdf": {"page_size": "A5", "height": "auto"}},
            {"pdf": {"page_size": "A6"}},
            {"pdf": {"page_size": "A6", "height": "auto"}},
        ),
        (SIZED, {"pdf": {"height": "auto"}}, {"pdf": {"width": "10cm", "height": "auto"}}),
        (RECEIPT, {"pdf": {"page_size": "A6"}}, {"pdf": {"page_size": "A6", "height": "auto"}}),
        (A5, RECEIPT, RECEIPT),
        (RECEIPT, {"pdf": {"height": "9cm"}}, {"pdf": {"width": "80mm", "height": "9cm"}}),
        (MARKED, {"pdf": {"watermark": {"text": "B"}}}, {"pdf": {"watermark": {"text": "B"}}}),
        (
            SHUT,
            {"pdf": {"protection": {"owner_password": "b"}}},
            {"pdf": {"protection": {"owner_password": "b"}}},
        ),
        (
            TEXTS,
            {"pdf": {"header": {"html": "<p>"}}},
            {"pdf": {"header": {"enabled": True, "html": "<p>", "height": "9mm"}}},
        ),
        (
            {"pdf": {"metadata": {"keywords": ["a", "b"], "title": "T"}}},
            {"pdf": {"metadata": {"keywords": []}}},
            {"pdf": {"metadata": {"keywords": [], "title": "T"}}},
        ),
        (
            {"einvoice": {"profile": "BASIC"}, "email": False},
            {},
            {"einvoice": {"profile": "BASIC"}},
        ),
        ({"einvoice": {"profile": "BASIC"}}, {"einvoice": None}, {}),
        (ARCHIVED, {"format": "zip"}, ARCHIVED | {"format": "zip"}),
        (ARCHIVED, {"formats": ["png"]}, {"formats": ["png"]}),
        (ARCHIVED | {"output_format": "png"}, {}, {"format": "png"}),
        (
            ARCHIVED,
            {"format": "png", "pdf": {"pdfua": True}},
            {"format": "png", "pdf": {"pdfua": True}},
        ),
        ({"image": {"scale": 2}}, {}, {}),
        ({"image": {"scale": 2}}, {"format": "webp"}, {"format": "webp", "image": {"scale": 2}}),
        (ARCHIVED, {"pdf": {"pdfa": None}}, {"pdf": {"pdfua": True, "scale": 2}}),
        (
            {"einvoice": {"profile": "BASIC", "invoice_path": "a"}},
            {"einvoice": {"profile": "EN16931", "invoice": {}}},
            {"einvoice": {"profile": "EN16931", "invoice": {}}},
        ),
    ],
)
def test_request_overrides_options_member_by_member(
    options: dict[str, Any], requested: dict[str, Any], output: dict[str, Any]
) -> None:
    before = repr(options)

    assert merged_output(SourceBundle({"html": "x"}, options), requested) == output
    assert repr(options) == before


def test_content_header_and_footer_have_the_lowest_priority() -> None:
    content: dict[str, Any] = {
        "header": "<b>h</b>",
        "footer": {"left": "{{ page }}", "height": "9mm"},
    }
    options = {"pdf": {"header": {"height": "20mm"}}}

    assert merged_output(
        SourceBundle(content, options), {"pdf": {"footer": {"enabled": False}}}
    ) == {
        "pdf": {
            "header": {"enabled": True, "html": "<b>h</b>", "height": "20mm"},
            "footer": {"enabled": False, "left": "{{ page }}", "height": "9mm"},
        }
    }


@pytest.mark.parametrize(
    ("pdf", "pointer"),
    [
        ({"watermark": {"image": {"upload_id": "upl_1"}}}, "watermark/image"),
        ({"attachments": [{"url": "https://a"}, {"upload_id": "upl_1"}]}, "attachments/1"),
    ],
)
def test_upload_cannot_be_a_default(pdf: dict[str, Any], pointer: str) -> None:
    with pytest.raises(ServiceError) as refusal:
        check_options(WorkspaceId("ws_1"), SourceBundle({}, {"pdf": pdf}))

    assert refusal.value.errors[0].path == f"/options/pdf/{pointer}/upload_id"


@pytest.mark.parametrize(
    ("pdf", "member"),
    [
        ({"pdfa": "2b"}, "pdfa"),
        ({"protection": {"owner_password": "x"}}, "protection"),
        ({"forms": True}, "forms"),
    ],
)
def test_option_that_no_einvoice_goes_with_is_named_with_the_remedy(
    pdf: dict[str, Any], member: str
) -> None:
    with pytest.raises(ServiceError) as refusal:
        check_einvoice_carrier({"pdf": pdf})

    (error,) = refusal.value.errors
    assert error.path == f"/output/pdf/{member}"
    assert error.message.startswith(member)
    assert "output.einvoice null" in error.message
    check_einvoice_carrier({"pdf": {"pdfa": "3b", "protection": None, "forms": False}})
    check_einvoice_carrier({"pdf": None})


def test_conflicting_options_are_reported_with_their_pointer() -> None:
    with pytest.raises(ServiceError) as refusal:
        complete_output({"pdf": {"height": "9cm"}})

    assert refusal.value.errors[0].path == "/output/pdf"
    assert complete_output({"pdf": {"landscape": True}}).pdf.page_size == "A4"
