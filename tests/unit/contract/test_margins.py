"""Margins must leave room on the requested page."""

import json
from typing import Any

import pytest

from chalicelib.contract.render.pdf import PdfOptions
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import ServiceError

NONE = dict.fromkeys(("top", "right", "bottom", "left"), "0")
# Across: one point of the width is left, or less. Down: the same of the height.
ACROSS = NONE | {"left": "99pt"}
DOWN = NONE | {"top": "100pt", "bottom": "99pt"}


@pytest.mark.parametrize(
    ("pdf", "fits"),
    [
        ({"width": "100pt", "height": "200pt", "margin": ACROSS}, True),
        ({"width": "99.9pt", "height": "200pt", "margin": ACROSS}, False),
        ({"width": "100pt", "height": "200pt", "margin": DOWN}, True),
        ({"width": "100pt", "height": "199.9pt", "margin": DOWN}, False),
        ({"width": "100pt", "height": "200pt", "margin": DOWN, "landscape": True}, False),
        ({"margin": {"left": "105mm", "right": "105mm"}}, False),
        ({"margin": {"left": "105mm", "right": "105mm"}, "landscape": True}, True),
        ({"margin": {"left": "105mm", "right": "105mm"}, "page_size": "A3"}, True),
        ({"margin": {"top": "297mm"}}, False),
        ({"width": "20mm", "height": "20mm"}, False),
        ({"width": "1pt", "height": "1pt", "margin": NONE}, True),
    ],
)
def test_margins_leave_at_least_one_point(pdf: dict[str, Any], *, fits: bool) -> None:
    raw = json.dumps(pdf).encode()

    if fits:
        read_body(PdfOptions, raw, pdf)
        return
    with pytest.raises(ServiceError, match="margin leaves no room on the page") as refused:
        read_body(PdfOptions, raw, pdf)
    assert refused.value.code == "validation_error"
