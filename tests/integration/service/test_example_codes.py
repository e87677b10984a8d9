"""The codes on examples: a scanner finds in the picture the modules of what the data say."""

import io
from typing import Any, Final

import httpx
import pytest
import segno
from PIL import Image

from chalicelib.engine.barcodes import barcode_modules
from infra.local.examples import example_data, render_body, template_body
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration

Box = tuple[int, int, int, int]
# Dots of a module of the label's bar code; below 0.495 mm conveyors read it badly (GS1 General
# Specifications, 5.12.3.1).
_MODULE_DOTS: Final = 6
_DARK: Final = 128


def picture(live: ApiClient, name: str) -> Image.Image:
    """Render an example as PNG, on white, without colours."""
    template = live.http.post("/templates", json=template_body(name))
    assert template.status_code == 201, template.text
    answer = live.http.post("/renders", json=render_body(name, template.json()["id"]))
    assert answer.is_success, answer.text
    files = live.wait_until_final(answer.json()["id"])["files"]
    (url,) = (file["url"] for file in files if file["format"] == "png")
    content = httpx.get(url, follow_redirects=True).content
    image = Image.open(io.BytesIO(content)).convert("RGBA")
    white = Image.new("RGBA", image.size, "white")
    return Image.alpha_composite(white, image).convert("L")


def dark_box(image: Image.Image, within: Box) -> Box:
    """Return the box around what is dark in a part of a picture."""
    left, top = within[:2]
    mask = image.crop(within).point(lambda level: 255 if level < _DARK else 0)
    found = mask.getbbox()
    assert found is not None
    return (found[0] + left, found[1] + top, found[2] + left, found[3] + top)


def assert_qr(image: Image.Image, within: Box, value: str, level: str) -> None:
    """Assert that a part of a picture is the QR code of a value."""
    matrix = segno.make_qr(value, error=level, boost_error=False).matrix
    left, top, right, bottom = dark_box(image, within)
    pitch_x, pitch_y = (right - left) / len(matrix), (bottom - top) / len(matrix)
    seen = [
        [
            int(level_at(image, left + (x + 0.5) * pitch_x, top + (y + 0.5) * pitch_y) < _DARK)
            for x in range(len(matrix))
        ]
        for y in range(len(matrix))
    ]
    assert seen == [list(row) for row in matrix]


def level_at(image: Image.Image, x: float, y: float) -> int:
    """Return the brightness of the dot at a place."""
    level: Any = image.getpixel((int(x), int(y)))
    assert isinstance(level, int)
    return level


def test_codes_of_the_label_scan(live: ApiClient) -> None:
    image, data = picture(live, "shipping-label"), example_data("shipping-label")
    width, height = image.size

    bars = barcode_modules(f"(00){data['sscc']}", "gs1_128")
    row = round(height * 0.87)
    left, _, right, _ = dark_box(image, (0, row, width, row + 1))
    assert right - left == len(bars) * _MODULE_DOTS
    seen = (level_at(image, left + (n + 0.5) * _MODULE_DOTS, row) for n in range(len(bars)))
    assert "".join("1" if level < _DARK else "0" for level in seen) == bars
    place = (round(width * 0.68), round(height * 0.54), width, round(height * 0.725))
    assert_qr(image, place, f"{data['carrier']['track']}/{data['sscc']}", "M")


def test_code_of_the_ticket_scans(live: ApiClient) -> None:
    image, ticket = picture(live, "event-ticket"), example_data("event-ticket")["ticket"]
    width, height = image.size

    place = (0, round(height * 0.72), round(width * 0.45), height)
    assert_qr(image, place, f"{ticket['check']}/{ticket['number']}", "Q")
