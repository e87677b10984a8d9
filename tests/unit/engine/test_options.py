"""Output options: lengths, defaults and nulls."""

import pytest

from chalicelib.contract.css_values import length_in_inches
from chalicelib.contract.options.image import Window
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.json import JsonObject


@pytest.mark.parametrize(
    ("length", "expected"),
    [
        ("0", 0),
        ("0.0", 0),
        ("25.4mm", 1),
        ("2.54 cm", 1),
        ("1in", 1),
        ("96px", 1),
        ("72pt", 1),
        ("6pc", 1),
        (".5in", 0.5),
    ],
)
def test_lengths_become_inches(length: str, expected: float) -> None:
    assert length_in_inches(length) == pytest.approx(expected)


@pytest.mark.parametrize(
    "length", ["", "10", "mm", "-1mm", "1em", "1e3mm", "10mm;", "1.mm", "\u0661mm"]
)
def test_other_lengths_are_refused(length: str) -> None:
    with pytest.raises(ValueError, match="not a length"):
        length_in_inches(length)


def test_an_empty_output_has_the_contracts_defaults() -> None:
    output = OutputOptions.from_json({})

    assert output.formats == ("pdf",)
    assert [side * 25.4 for side in output.pdf.paper_size] == pytest.approx([210, 297])
    assert output.pdf.margin.inches.left == pytest.approx(10 / 25.4)
    assert (output.pdf.tagged, output.pdf.outline, output.pdf.print_background) == (
        True,
        False,
        True,
    )
    assert output.wait.timeout_ms == 10_000
    assert output.javascript is True
    assert output.layout_viewport() is None


def test_nulls_mean_defaults() -> None:
    output = OutputOptions.from_json(
        {
            "format": None,
            "pdf": {"width": None, "first_header": None, "page_ranges": None},
            "image": {"width": None, "scale": None, "full_page": None},
            "viewport": None,
        }
    )

    assert output == OutputOptions.from_json({})


def test_width_and_height_win_over_the_page_size() -> None:
    pdf = OutputOptions.from_json({"pdf": {"page_size": "A4", "width": "1in", "height": "2in"}}).pdf

    assert pdf.paper_size == (1, 2)


def test_a_header_counts_only_when_enabled() -> None:
    footer: JsonObject = {"enabled": True, "left": "x"}
    pdf = OutputOptions.from_json(
        {"pdf": {"header": {**footer, "enabled": False}, "footer": footer}}
    ).pdf

    assert pdf.header_footer.header is None
    assert pdf.header_footer.footer is not None


BAND: JsonObject = {"enabled": True, "left": "every"}
NONE: JsonObject = {"enabled": False}


@pytest.mark.parametrize(
    ("pdf", "varies"),
    [
        ({"header": BAND}, False),
        ({"header": BAND, "first_header": None, "page_number_start": 1}, False),
        ({"header": BAND, "first_header": BAND}, False),
        ({"page_number_start": 5}, False),
        ({"first_header": {"enabled": True}}, False),
        ({"header": BAND, "page_number_start": 0}, True),
        ({"header": BAND, "first_header": NONE}, True),
        ({"last_footer": BAND}, True),
    ],
)
def test_headers_that_vary_by_page_are_printed_separately(
    pdf: JsonObject,
    varies: bool,  # noqa: FBT001 -- a case
) -> None:
    assert OutputOptions.from_json({"pdf": pdf}).pdf.varies_by_page is varies


@pytest.mark.parametrize(
    ("footers", "expected"),
    [
        ({}, "every"),
        ({"first_footer": {**BAND, "left": "first"}}, "first"),
        ({"last_footer": {**BAND, "left": "last"}}, "last"),
        ({"first_footer": {**BAND, "left": "first"}, "last_footer": BAND}, "every"),
    ],
)
def test_single_page_uses_the_last_footer_before_the_first(
    footers: JsonObject, expected: str
) -> None:
    pdf = OutputOptions.from_json({"pdf": {"footer": BAND, **footers}}).pdf

    assert pdf.single_page.footer
    assert pdf.single_page.footer.left == expected


def test_image_size_overrides_the_viewport() -> None:
    source: JsonObject = {
        "format": "png",
        "viewport": {"width": 800, "height": 600, "mobile": True},
    }

    assert OutputOptions.from_json(source).layout_viewport() == Window(800, 600, 1.0, mobile=True)
    assert OutputOptions.from_json(
        {**source, "image": {"width": 400, "scale": 2}}
    ).layout_viewport() == Window(400, 600, 2, mobile=True)
    assert OutputOptions.from_json({"format": "png"}).layout_viewport() == Window(1280, 720)


def test_viewport_without_a_width_keeps_that_of_the_paper() -> None:
    sharp: JsonObject = {"viewport": {"device_scale_factor": 3}}

    assert OutputOptions.from_json(sharp).is_laid_out_for_paper
    assert OutputOptions.from_json(sharp).layout_viewport() is None
    # Pictures of the same render have their own window.
    both = OutputOptions.from_json({**sharp, "formats": ["pdf", "png"]})
    assert both.layout_viewport() == Window(1280, 720, 3)
    wide = OutputOptions.from_json({"viewport": {"width": 500}})
    assert not wide.is_laid_out_for_paper
    assert wide.layout_viewport() == Window(500, 720)


@pytest.mark.parametrize("name", ["transparent", "omit_background"])
def test_both_names_of_transparency_are_accepted(name: str) -> None:
    assert OutputOptions.from_json({"image": {name: True}}).image.is_transparent
