"""Output options: accepted values and refusals."""

import json
from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.render.output import OutputSpec, output_options
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import FieldError, ServiceError


def read(**output: Any) -> OutputOptions:
    return output_options(read_body(OutputSpec, json.dumps(output).encode(), output))


def refusal_of(**output: Any) -> FieldError:
    with pytest.raises(ServiceError) as refused:
        read(**output)
    assert refused.value.code == "validation_error"
    (error,) = refused.value.errors
    return error


@pytest.mark.parametrize("length", ["200in", "5080mm", "1pt", "19200px", "14400pt", "1200pc"])
def test_a_page_may_be_up_to_five_metres_long(length: str) -> None:
    margin = dict.fromkeys(("top", "right", "bottom", "left"), "0")
    pdf = read(pdf={"width": length, "height": "1mm", "margin": margin}).pdf

    assert pdf.width == length


@pytest.mark.parametrize("side", ["width", "height"])
@pytest.mark.parametrize(
    ("length", "expected"),
    [
        ("0", "more than 0"),
        ("0mm", "more than 0"),
        ("0.00in", "more than 0"),
        ("200.0001in", "at most 200in"),
        ("5081mm", "at most 200in"),
        ("999999in", "at most 200in"),
        ("\u0661\u0662mm", "units mm, cm, in"),
        ("1\uff10mm", "units mm, cm, in"),
        ("10", "units mm, cm, in"),
        ("-1mm", "units mm, cm, in"),
        ("1mm\n", "units mm, cm, in"),
    ],
)
def test_invalid_page_side_is_refused(side: str, length: str, expected: str) -> None:
    error = refusal_of(pdf={"width": "10mm", "height": "10mm", side: length})

    assert error.path == f"/pdf/{side}"
    assert expected in error.message


def test_margin_may_be_zero_but_not_larger_than_any_page() -> None:
    margin = {"top": "0", "left": "0mm", "right": "199in"}
    assert read(pdf={"width": "200in", "height": "9in", "margin": margin}).pdf.margin.top == "0"

    error = refusal_of(pdf={"margin": {"top": "201in"}})

    assert (error.path, error.message) == ("/pdf/margin/top", "must be at most 200in")


@pytest.mark.parametrize("ranges", ["1", "1-3,5", " 2 - 2 , 7", "5,1-3", "99999"])
def test_page_ranges_ascend(ranges: str) -> None:
    assert read(pdf={"page_ranges": ranges}).pdf.page_ranges == ranges


@pytest.mark.parametrize(
    "ranges",
    ["0", "0-2", "3-1", "1,3-2", "", ",", "1-", "-1", "1-2-3", "a", "\u0661", "1\n", "100000"],
)
def test_invalid_page_ranges_are_refused(ranges: str) -> None:
    error = refusal_of(pdf={"page_ranges": ranges})

    assert error.path == "/pdf/page_ranges"
    assert "counted from 1, such as 1-3,5" in error.message


def test_a_filename_may_have_braces() -> None:
    assert read(filename="a {1} }}%}.pdf").filename == "a {1} }}%}.pdf"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("locale", "d\u0435-AT"),
        ("locale", "de-\u0661\u0661"),
        ("timezone", "Eur\u043epe/Vienna"),
        ("timezone", "UT\uff23"),
        ("timezone", "localtime"),
        ("timezone", "Factory"),
        ("timezone", "posix/UTC"),
        ("timezone", "../UTC"),
    ],
)
def test_locale_and_timezone_must_be_valid(field: str, value: str) -> None:
    error = refusal_of(**{field: value})

    assert error.path == f"/{field}"
    assert "is expected" in error.message


def test_valid_locale_and_timezone_are_kept() -> None:
    for zone in ("Europe/Vienna", "UTC", "CET", "Japan", "EST5EDT", "Etc/GMT+12", "GMT0"):
        output = read(locale="de-AT", timezone=zone)

        assert (output.locale, output.timezone) == ("de-AT", zone)
