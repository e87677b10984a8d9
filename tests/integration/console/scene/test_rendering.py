"""The surface beside what the service renders: places, pictures, previews, hostile texts."""

import io
from base64 import b64decode
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pypdfium2
import pytest
from PIL import Image, ImageChops

from infra.local.running_stack import RunningStack
from tests.builders.stack.api_client import ApiClient
from tests.builders.waiting import eventually
from tests.integration.console.looks import look_at
from tests.integration.console.person import Person
from tests.integration.console.scene.conftest import DATA, Canvas, box, scene_of

pytestmark = pytest.mark.integration

Make = Callable[..., Canvas]
LONG: Final = "A long text that does not fit into its small box, so it is cut or shrunk"
HOSTILE: Final = '<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>'
HOSTILE_SVG: Final = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" onload="window.attacked=1">'
    "<script>window.top.attacked=1</script><image href='https://a.test/x.png' width='9'/>"
    '<rect width="9" height="9" fill="#00f"/></svg>'
)
POINTS_PER_PIXEL: Final = 0.75
EVERYTHING: Final = scene_of(
    box("rect", 0, 0, 640, 60, fill="#1f4fd8"),
    box("text", 20, 14, 300, 40, text="Title", font_size=28, font_weight="bold", color="#fff"),
    box("text", 20, 80, 200, 40, bind="name", font_size=24, rotation=5),
    box("text", 20, 130, 160, 40, text=LONG, overflow="shrink", font_size=18),
    box("text", 20, 180, 160, 24, text=LONG, overflow="ellipsis", align="center"),
    box("text", 20, 220, 160, 60, text=LONG, align="right", vertical_align="bottom"),
    box("text", 20, 290, 160, 40, text="spaced", letter_spacing=4, font_family="Tinos, serif"),
    box("line", 200, 300, 150, -60, stroke="#b3261e", stroke_width=4),
    box("ellipse", 220, 100, 120, 60, fill="#d5dffb", stroke="#1f4fd8", stroke_width=3),
    box("rect", 360, 100, 80, 80, fill="#fde68a", radius=12, opacity=0.5, rotation=30),
    {
        "type": "group",
        "x": 460,
        "y": 90,
        "width": 100,
        "height": 100,
        "rotation": 45,
        "layers": [
            box("rect", 0, 0, 100, 40, fill="#1d7a46"),
            box("text", 5, 5, 90, 30, text="in"),
        ],
    },
    box("svg", 400, 220, 100, 60, svg=HOSTILE_SVG),
    box("rect", 520, 220, 300, 50, fill="#333333"),
    box("rect", 10, 10, 10, 10, fill="#f00", visible=False),
    size=(640, 360),
)


BADGE: Final = scene_of(
    box("rect", 0, 0, 800, 500, fill="#fbf7ef"),
    box("rect", 0, 0, 800, 132, fill="#1f4fd8"),
    box("text", 48, 36, 480, 60, text="Open Data Days", font_size=44, color="#fff"),
    box("text", 560, 48, 192, 40, text="Speaker", font_size=24, color="#fff", align="right"),
    box("ellipse", 48, 188, 176, 176, fill="#d5dffb", stroke="#1f4fd8", stroke_width=4),
    box("line", 264, 328, 488, 0, stroke="#e4ae37", stroke_width=4),
    box("text", 264, 204, 488, 96, bind="name", font_size=64, font_weight="bold"),
    box("text", 264, 348, 488, 40, text="Hall 2, 14 to 16 May", font_size=26, color="#5d5a52"),
    box("rect", 48, 420, 704, 32, fill="#1d7a46", radius=16),
)


def published_picture(canvas: Canvas, stack: RunningStack) -> Image.Image:
    """Return the canvas as a live render, which has no mark, with the data of its dataset."""
    canvas.client.http.post(f"/templates/{canvas.id}/publish").raise_for_status()
    with ApiClient(stack, stack.live_key) as client:
        body = {
            "input": {"type": "template", "template_id": canvas.id},
            "data": {"name": "Ada Lovelace"},
            "output": {"format": "png"},
            "delivery": {"type": "base64"},
        }
        answer = client.http.post("/renders", json=body)
        answer.raise_for_status()
    content = b64decode(answer.json()["files"][0]["content_base64"])
    return Image.open(io.BytesIO(content)).convert("RGB")


def test_surface_looks_like_the_render(
    make: Make, person: Person, stack: RunningStack, tmp_path: Path
) -> None:
    canvas = make(EVERYTHING)
    hands = canvas.open(width=1440)
    person.press("100 %")
    person.reads("Ada Lovelace", within=".surface-layers")
    rendered = published_picture(canvas, stack)

    left, top = hands.place(0, 0)
    clip = {"x": left, "y": top, "width": 640, "height": 360, "scale": 1}
    shot = person.browser.call("Page.captureScreenshot", format="png", clip=clip)["data"]
    drawn = Image.open(io.BytesIO(b64decode(shot))).convert("RGB")
    difference = ImageChops.difference(drawn, rendered).convert("L")
    differing = sum(difference.histogram()[64:])

    rendered.save(tmp_path / "rendered.png")
    drawn.save(tmp_path / "drawn.png")
    assert rendered.size == (640, 360)
    assert differing < 640 * 360 * 0.002, (differing, tmp_path)


def test_text_of_the_render_is_where_the_surface_shows_it(make: Make, person: Person) -> None:
    texts = [
        box("text", 50, 60, 400, 60, text="Hello", font_size=40),
        box("text", 50, 300, 400, 60, bind="order.total", align="right", font_size=30),
    ]
    canvas = make(scene_of(*texts))
    hands = canvas.open()
    hands.drag(hands.place(80, 80), hands.place(223, 171), "ctrl")
    person.reads("12.5", within=".surface-layers")
    canvas.save()
    shown = _shown_texts(canvas)

    person.press("Preview")
    person.sees_page()
    body = {
        "input": {"type": "template", "template_id": canvas.id},
        "version": "draft",
        "data": DATA,
        "delivery": {"type": "base64"},
    }
    answer = canvas.client.http.post("/renders", json=body)
    content = b64decode(answer.json()["files"][0]["content_base64"])
    for text, (left, top, right, bottom) in shown.items():
        found = _place_in_pdf(content, text)
        expected = [side * POINTS_PER_PIXEL for side in (left, top, right, bottom)]
        assert found[0] == pytest.approx(expected[0], abs=3), text
        assert found[2] == pytest.approx(expected[2], abs=3), text
        assert expected[1] - 1 <= found[1] < found[3] <= expected[3] + 1, text


def test_preview_follows_what_is_saved(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("text", 40, 40, 90, 20, text=LONG), box("rect", 40, 200, 90, 90)))
    hands = canvas.open()
    hands.click(hands.place(80, 240))
    person.press("Preview")
    person.sees_page()
    person.reads("text_overflow", within=".scene-middle")

    person.press("Go to layers[0]")
    person.browser.wait_for("document.querySelector('.layer.text.selected') !== null")
    hands.fill("width", "700")
    person.press("Preview")
    person.reads("Your last changes are not in it")
    person.press("Save now")

    person.reads("draft r2", within=".scene-state")
    eventually(lambda: len(person.sent("POST", "/renders")) > 1)
    person.sees_page()
    person.browser.wait_for("!document.body.innerText.includes('text_overflow')")


def test_refused_preview_leads_to_the_layer(make: Make, person: Person) -> None:
    bound = box("text", 40, 40, 90, 20, bind="{{ name | nothing }}")
    canvas = make(scene_of(box("rect", 40, 200, 90, 90), bound))
    person.enter(f"{canvas.path}?view=preview")

    person.press("Go to layers[1]")

    person.browser.wait_for("document.querySelector('.layer.text.selected') !== null")


def test_hostile_texts_are_shown_as_text(make: Make, person: Person) -> None:
    data = {HOSTILE.replace(".", ""): "x", "name": HOSTILE, "__proto__x": "y"}
    canvas = make(
        scene_of(
            box("text", 10, 10, 700, 60, bind="name", id=HOSTILE[:100]),
            box("svg", 10, 100, 90, 90, svg=HOSTILE_SVG),
            box("image", 200, 100, 90, 90, src="https://a.test/x.png"),
            box("text", 10, 300, 700, 60, text=HOSTILE, font_family="Inter, Arimo"),
            box("rect", 10, 400, 9, 9, fill="rgb(1, 2, 3)"),
        ),
        name=HOSTILE[:120],
        data=data,
    )
    canvas.open("?layer=0")

    person.reads(HOSTILE, within=".surface-layers")
    assert person.text("h1") == HOSTILE[:120]
    person.browser.wait_for("document.querySelector('.layer-row.selected') !== null")
    assert person.browser.value("document.querySelectorAll('.scene-view script').length") == 0


def test_layer_outside_the_page_is_found_and_brought_back(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 90_000, -90_000, 50, 50), box("rect", 10, 10, 50, 50)))
    canvas.open()
    surface = "document.querySelector('.surface')"
    assert person.browser.value(f"{surface}.scrollWidth <= {surface}.clientWidth")

    canvas.select(0)
    person.press("Align")
    person.press("Left edges")
    person.press("Align")
    person.press("Top edges")
    canvas.save()

    assert canvas.layers()[0] == box("rect", 0, 0, 50, 50)


def test_one_of_many_layers_moves_alone(make: Make, person: Person) -> None:
    canvas = make(
        scene_of(
            *(
                box("text", n % 25 * 30, n // 25 * 24, 28, 20, text=f"n{n}", overflow="shrink")
                for n in range(500)
            )
        )
    )
    hands = canvas.open()
    person.browser.value(
        "{ window.touched = new Set(); new MutationObserver((changes) => { for (const { target } of"
        " changes) touched.add((target.nodeType === 1 ? target : target.parentElement)"
        ".closest('[data-key]')?.dataset.key); }).observe(document.querySelector("
        "'.surface-layers'), { subtree: true, childList: true, attributes: true,"
        " characterData: true }) }"
    )

    hands.drag(hands.place(40, 10), hands.place(52, 14), "ctrl")
    canvas.save()

    assert canvas.layers()[1] == box("text", 42, 4, 28, 20, text="n1", overflow="shrink")
    assert person.browser.value("touched.size") == 1
    canvas.focus()
    hands.key("a", "ctrl")
    hands.key("ArrowDown")
    canvas.save()
    assert [layer["y"] for layer in canvas.layers()[:3]] == [1, 5, 1]


@pytest.mark.parametrize("view", ["scene", "scene-layer", "scene-preview", "scene-new"])
def test_view_has_no_barrier(make: Make, person: Person, view: str) -> None:
    canvas = make(BADGE if view == "scene" else EVERYTHING)
    named = "document.querySelector('.surface-layers')?.innerText.includes('Ada') ?? false"
    page = "document.querySelector('.sheets canvas[data-drawn]') !== null"
    address, shown = {
        "scene": (canvas.path, named),
        "scene-layer": (f"{canvas.path}?layer=1&part=properties", ".props-place"),
        "scene-preview": (f"{canvas.path}?view=preview", page),
        "scene-new": ("/templates/new-scene", ".sizes"),
    }[view]
    if shown.startswith("."):
        shown = f"document.querySelector('{shown}') !== null"

    look_at(person, view, address, shown)


def _shown_texts(canvas: Canvas) -> dict[str, tuple[float, float, float, float]]:
    """Return the texts of the surface with their boxes in pixels of the scene."""
    found: list[Any] = canvas.person.browser.value(
        "[...document.querySelectorAll('.surface-layers p')].map((line) => { const range ="
        " document.createRange(); range.selectNodeContents(line); const { left, top, right, bottom"
        " } = range.getBoundingClientRect(); return [line.innerText, left, top, right, bottom]; })"
    )
    left, top = canvas.hands.place(0, 0)
    right, _ = canvas.hands.place(1, 0)
    zoom = right - left
    return {
        text: ((x - left) / zoom, (y - top) / zoom, (u - left) / zoom, (v - top) / zoom)
        for text, x, y, u, v in found
    }


def _place_in_pdf(content: bytes, text: str) -> tuple[float, float, float, float]:
    """Return left, top, right and bottom of a text on the first page, in points from its top."""
    document = pypdfium2.PdfDocument(content)
    page = document[0]
    height = page.get_height()
    textpage = page.get_textpage()
    index = textpage.get_text_range().index(text)
    boxes = [textpage.get_charbox(index + n) for n in range(len(text))]
    return (
        min(each[0] for each in boxes),
        height - max(each[3] for each in boxes),
        max(each[2] for each in boxes),
        height - min(each[1] for each in boxes),
    )
