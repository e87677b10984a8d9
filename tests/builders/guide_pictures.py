"""Pictures of the guides: `python -m tests.builders.guide_pictures [NAME …]`.

Each file of docs/requests is a body of `POST /v1/renders`. A running service renders it, or else
one for the moment. Its picture in docs/images/guides is the first page of its first file,
`NAME.png`. Where pages of docs/ show `NAME-2.png`, that is the second page, and so on.
"""

import io
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, Final

import pypdfium2
from PIL import Image, ImageDraw, ImageOps

from infra.local.examples import create_render, fetch_file
from infra.local.running_stack import running_stack
from infra.template import ROOT

DOCS: Final = ROOT / "docs"
REQUESTS: Final = DOCS / "requests"
PICTURES: Final = DOCS / "images" / "guides"
RUN_FILE: Final = ROOT / ".platen" / "run.json"
_WIDTH: Final = 800
_COLORS: Final = 64
_BORDER: Final = "#c8c8c8"
_CHECKS: Final = ("#ffffff", "#dddddd")
_CHECK_PIXELS: Final = 12
_PICTURE: Final = re.compile(r"images/guides/([\w.-]+)\.png")


def request_names() -> list[str]:
    """Return the names of all requests."""
    return sorted(path.stem for path in REQUESTS.glob("*.json"))


def request_body(name: str) -> dict[str, Any]:
    """Return the body of a request."""
    body: dict[str, Any] = json.loads((REQUESTS / f"{name}.json").read_text(encoding="utf-8"))
    return body


@cache
def pages_of_guides() -> Mapping[Path, str]:
    """Return the texts of all pages of docs/."""
    return {path: path.read_text(encoding="utf-8") for path in sorted(DOCS.rglob("*.md"))}


def named_pictures() -> set[str]:
    """Return the names of the pictures that pages of docs/ show."""
    return {name for page in pages_of_guides().values() for name in _PICTURE.findall(page)}


def render_request(run_info: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Return the ended render of a request; its files have URLs."""
    return create_render(run_info, request_body(name) | {"delivery": {"type": "url"}})


def draw_pictures(run_info: Mapping[str, Any], name: str) -> Iterator[Path]:
    """Render a request and write its pictures; yield their paths."""
    render = render_request(run_info, name)
    if render["warnings"]:
        sys.stderr.write(f"{name}: {render['warnings']}\n")
    file = render["files"][0]
    content = fetch_file(file["url"])
    for number in _pages_to_draw(name):
        path = PICTURES / f"{name if number == 1 else f'{name}-{number}'}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        page = _drawn_page(file["format"], content, request_body(name), number)
        _small_picture(page).save(path, optimize=True)
        yield path


def request_of_picture(picture: str) -> tuple[str, int]:
    """Return the request and the page that a picture's name means."""
    names = request_names()
    name, _, number = picture.rpartition("-")
    is_page = picture not in names and name in names and number.isdecimal()
    return (name, int(number)) if is_page else (picture, 1)


def _pages_to_draw(name: str) -> list[int]:
    """Return the pages that guides show, or else the first one."""
    shown = map(request_of_picture, named_pictures())
    return sorted({number for request, number in shown if request == name}) or [1]


def _drawn_page(kind: str, content: bytes, body: Mapping[str, Any], number: int) -> Image.Image:
    if kind == "pdf":
        protection = body.get("output", {}).get("pdf", {}).get("protection") or {}
        password = protection.get("user_password")
        document = pypdfium2.PdfDocument(content, password=password)
        # Without it the values of form fields are not drawn.
        document.init_forms()
        page = document[number - 1]
        # Twice as large as it is shown, so that thin lines and letters are smooth.
        scale = 2 * _WIDTH / page.get_width()
        picture: Image.Image = page.render(scale=scale, may_draw_forms=True).to_pil()
        return picture
    return Image.open(io.BytesIO(content))


def _small_picture(picture: Image.Image) -> Image.Image:
    """Return a picture with a thin border and few colours; transparent parts are chequered."""
    whole = picture.convert("RGBA")
    width = min(_WIDTH, whole.width)
    size = (width - 2, max(1, round(whole.height * (width - 2) / whole.width)))
    whole = whole.resize(size, Image.Resampling.LANCZOS)
    flat = Image.alpha_composite(_chequered(size), whole).convert("RGB")
    framed = ImageOps.expand(flat, 1, _BORDER)
    return framed.quantize(_COLORS, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)


def _chequered(size: tuple[int, int]) -> Image.Image:
    board = Image.new("RGBA", size, _CHECKS[0])
    draw = ImageDraw.Draw(board)
    step = _CHECK_PIXELS
    for top in range(0, size[1], step):
        for left in range(top // step % 2 * step, size[0], 2 * step):
            draw.rectangle((left, top, left + step - 1, top + step - 1), _CHECKS[1])
    return board


def main(names: Iterable[str]) -> None:
    """Draw the pictures of these requests, or of all."""
    with ExitStack() as cleanup:
        if RUN_FILE.exists():
            run_info: Mapping[str, Any] = json.loads(RUN_FILE.read_text(encoding="utf-8"))
        else:
            stack = cleanup.enter_context(running_stack())
            run_info = {"base_url": stack.base_url, "live_key": stack.live_key}
        for name in names:
            for path in draw_pictures(run_info, name):
                sys.stdout.write(f"{path.relative_to(ROOT)}  {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main(sys.argv[1:] or request_names())
