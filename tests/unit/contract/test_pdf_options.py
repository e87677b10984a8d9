"""PDF options: rules beyond the bounds in the schema."""

import json
from typing import Any

import pytest

from chalicelib.contract.options import pdf as options
from chalicelib.contract.render.pdf import PdfOptions
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import FieldError, ServiceError


def read(**pdf: Any) -> options.PdfOptions:
    model = read_body(PdfOptions, json.dumps(pdf).encode(), pdf)
    return options.PdfOptions.from_json(model.model_dump(mode="json"))


def refusal_of(**pdf: Any) -> FieldError:
    with pytest.raises(ServiceError) as refused:
        read(**pdf)
    assert refused.value.code == "validation_error"
    (error,) = refused.value.errors
    return error


@pytest.mark.parametrize(
    "color",
    [
        "#abc",
        "#abcd",
        "#AABBCC",
        "#aabbcc80",
        "Red",
        "rebeccapurple",
        "rgb(1, 2, 3)",
        "rgb(1 2 3)",
        "rgba(1,2,3,0.5)",
        "rgb(10% 20% 30% / 50%)",
        "hsl(120, 50%, 50%)",
        "hsl(120deg 5% 5%)",
    ],
)
def test_a_watermark_has_any_css_color(color: str) -> None:
    watermark = read(watermark={"text": "x", "color": color}).watermark

    assert watermark is not None
    assert watermark.color == color


@pytest.mark.parametrize(
    "color",
    [
        "",
        "#ab",
        "#abcde",
        "#gggggg",
        "reddish",
        "red;x:y",
        "red}",
        "var(--x)",
        "url(x)",
        "rgb(1,2)",
        "rgb(1,2,3",
        "rgb(1,2,3);",
        "hsl(1,2,3)",
        "\uff32ed",
        "red\n",
        "#abc\n",
    ],
)
def test_invalid_color_is_refused(color: str) -> None:
    error = refusal_of(watermark={"text": "x", "color": color})

    assert error.path == "/watermark/color"
    assert "CSS color" in error.message


@pytest.mark.parametrize("name", ["a", "Größe 1.pdf", "…", "..a", "a b\u00a0c", "請求書.xml"])
def test_attachment_name_is_a_valid_file_name(name: str) -> None:
    (attachment,) = read(attachments=[{"content": "QQ==", "filename": name}]).attachments

    assert attachment.filename == name


@pytest.mark.parametrize(
    "name",
    [
        ".",
        "..",
        "a/b",
        "..\\b",
        "C:b",
        "CON.txt",
        "a.",
        "a ",
        "a\0b",
        "a\nb",
        "a\x85",
        "cod\u202egpj.exe",
        "a\u200bb",
    ],
)
def test_deceptive_attachment_name_is_refused(name: str) -> None:
    error = refusal_of(attachments=[{"content": "QQ==", "filename": name}])

    assert error.path == "/attachments/0/filename"
    assert "without folders" in error.message


def test_a_password_is_bounded_in_bytes() -> None:
    longest = "ü" * 63 + "x"

    protection = read(protection={"user_password": longest}).protection
    error = refusal_of(protection={"user_password": longest + "x"})

    assert protection is not None
    assert protection.user_password == longest
    assert (error.path, "127 bytes" in error.message) == ("/protection/user_password", True)


@pytest.mark.parametrize(
    ("password", "part"),
    [
        ("a\tb", "U+0009"),
        ("\u00ad", "no character that counts"),
        ("\ufdfa" * 5, "127 bytes"),
        ("\u05d0a", "from the right"),
    ],
)
def test_a_password_that_readers_cannot_prepare_is_refused(password: str, part: str) -> None:
    error = refusal_of(protection={"owner_password": password})

    assert (error.path, part in error.message) == ("/protection/owner_password", True)


def test_passwords_that_readers_take_for_one_must_differ() -> None:
    error = refusal_of(protection={"user_password": "a\u0308", "owner_password": "ä"})

    assert "must differ" in error.message


def test_owner_and_user_password_must_differ() -> None:
    assert "needs" in refusal_of(protection={}).message
    same = refusal_of(protection={"user_password": "a", "owner_password": "a"})
    assert "must differ" in same.message


@pytest.mark.parametrize("year", ["1001", "9998"])
def test_the_date_of_a_document_has_four_digits_for_its_year(year: str) -> None:
    assert read(metadata={"created_at": f"{year}-06-01T00:00:00+14:00"}).metadata.created_at


@pytest.mark.parametrize("year", ["0001", "1000", "9999"])
def test_date_outside_the_pdf_format_is_refused(year: str) -> None:
    error = refusal_of(metadata={"created_at": f"{year}-06-01T00:00:00Z"})

    assert error.path == "/metadata/created_at"
    assert "1001 to 9998" in error.message
