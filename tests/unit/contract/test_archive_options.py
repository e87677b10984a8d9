"""Options compatible with PDF/A and PDF/UA, and refusals of the others."""

import json
from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.render.output import OutputSpec, output_options
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import ServiceError

ATTACHMENT = {"filename": "a.txt", "content": "YQ=="}


def read(**output: Any) -> OutputOptions:
    return output_options(read_body(OutputSpec, json.dumps(output).encode(), output))


@pytest.mark.parametrize("pdfa", ["2b", "2u", "2a", "3b", "3u", "3a"])
def test_every_pdfa_level_is_compatible_with_pdfua(pdfa: str) -> None:
    pdf = read(formats=["png", "pdf"], pdf={"pdfa": pdfa, "pdfua": True}).pdf

    assert (pdf.pdfa, pdf.pdfua) == (pdfa, True)


@pytest.mark.parametrize(
    ("output", "message"),
    [
        ({"pdf": {"pdfa": "2u", "attachments": [ATTACHMENT]}}, "use 3u"),
        ({"pdf": {"pdfa": "3b", "protection": {"owner_password": "x"}}}, "protection"),
        ({"pdf": {"pdfua": True, "tagged": False}}, "tagged"),
        ({"pdf": {"pdfa": "2a", "tagged": False}}, "tagged"),
        ({"pdf": {"pdfa": "3a", "tagged": False}}, "tagged"),
        ({"pdf": {"pdfa": "1b"}}, "2b"),
        ({"format": "png", "pdf": {"pdfa": "3b"}}, "pdf among the formats"),
        ({"formats": ["png", "html"], "pdf": {"pdfua": True}}, "pdf among the formats"),
    ],
)
def test_conflicting_options_are_refused(output: dict[str, Any], message: str) -> None:
    with pytest.raises(ServiceError) as refused:
        read(**output)

    (error,) = refused.value.errors
    assert message in error.message


@pytest.mark.parametrize(
    "pdf",
    [
        {"pdfa": "3u", "attachments": [ATTACHMENT]},
        {"pdfa": "2b", "tagged": False},
        {"pdfua": True, "protection": {"owner_password": "x"}},
        {"pdfua": True, "attachments": [ATTACHMENT]},
    ],
)
def test_compatible_options_are_accepted(pdf: dict[str, Any]) -> None:
    read(format="zip", pdf=pdf)
    read(pdf=pdf)


@pytest.mark.parametrize("pdfa", ["2b", "3a"])
def test_form_fields_are_refused_under_pdfa_at_their_field(pdfa: str) -> None:
    with pytest.raises(ServiceError) as refused:
        read(pdf={"pdfa": pdfa, "forms": True})

    (error,) = refused.value.errors
    assert error.path == "/pdf/forms"
    assert read(pdf={"pdfa": pdfa, "forms": False}).pdf.forms is False


def test_form_fields_do_not_go_with_an_einvoice() -> None:
    einvoice = {"profile": "EN16931", "invoice_path": "invoice"}
    with pytest.raises(ServiceError, match=r"pdf\.forms"):
        read(pdf={"forms": True}, einvoice=einvoice)
