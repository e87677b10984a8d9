"""Mouse, fingers and keys on the surface of a scene; what the API has after saving."""

from collections.abc import Callable

import pytest

from tests.integration.console.person import Person
from tests.integration.console.scene.conftest import Canvas, box, scene_of

pytestmark = pytest.mark.integration

Make = Callable[..., Canvas]
FREE = "ctrl"  # Held while dragging: without snapping.


def test_layer_is_moved_resized_aligned_and_bound(make: Make, person: Person) -> None:
    title = box("text", 40, 40, 300, 50, text="Title", font_size=32, color="#1b1a17")
    canvas = make(scene_of(box("rect", 500, 300, 100, 80, fill="#1f4fd8"), title))
    hands = canvas.open()

    hands.drag(hands.place(60, 60), hands.place(123, 111), FREE)
    hands.click(hands.place(550, 340))
    hands.drag(hands.middle_of("[data-handle='1,1']"), hands.place(660, 420), FREE)
    person.press("Align")
    person.press("Right edges")
    canvas.select(1)
    hands.fill("bind", "order.items.0.title")
    person.reads('In the data shown: "Tea"', within=".scene-props")
    canvas.save()

    assert canvas.draft()["content"]["scene"] == scene_of(
        box("rect", 640, 300, 160, 120, fill="#1f4fd8"),
        {**title, "x": 103, "y": 91, "bind": "order.items.0.title"},
    )


def test_keys_select_move_and_resize(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 10, 10, 50, 50), box("ellipse", 100, 10, 50, 50)))
    hands = canvas.open()
    canvas.focus()

    hands.key("Tab", times=2)
    hands.key("ArrowRight", times=3)
    hands.key("ArrowDown", "shift", times=2)
    hands.key("ArrowRight", "ctrl", "shift")
    person.browser.wait_for("/layer=(%22)?1/.test(location.search)")
    hands.key("Tab", "shift")
    hands.key("ArrowLeft")
    canvas.save()

    assert canvas.layers() == [box("rect", 9, 10, 50, 50), box("ellipse", 103, 30, 60, 50)]
    hands.key("Escape")
    hands.key("Tab")
    assert person.browser.value("document.activeElement.closest('.surface') === null")


def test_layers_are_copied_duplicated_and_deleted(make: Make) -> None:
    mark = box("rect", 10, 10, 50, 50, id="mark", fill="#112233")
    canvas = make(scene_of(mark, box("ellipse", 100, 10, 50, 50)))
    hands = canvas.open()

    hands.click(hands.place(30, 30))
    hands.key("c", "ctrl")
    hands.key("v", "ctrl")
    hands.key("d", "ctrl")
    hands.click(hands.place(125, 35))
    hands.key("Delete")
    canvas.save()

    assert canvas.layers() == [
        mark,
        {**mark, "id": "mark 2", "x": 20, "y": 20},
        {**mark, "id": "mark 3", "x": 30, "y": 30},
    ]


def test_steps_are_undone_and_redone(make: Make, person: Person) -> None:
    first = box("rect", 10, 10, 50, 50)
    canvas = make(scene_of(first))
    hands = canvas.open()

    hands.drag(hands.place(30, 30), hands.place(130, 130), FREE)
    hands.key("ArrowRight", times=5)
    hands.key("Delete")
    hands.key("z", "ctrl", times=3)

    person.reads("draft r1", within=".scene-state")
    hands.key("z", "ctrl", "shift")
    canvas.save()
    assert canvas.layers() == [box("rect", 110, 110, 50, 50)]


def test_several_layers_are_framed_grouped_and_freed(make: Make) -> None:
    layers = [
        box("rect", 100, 100, 50, 50),
        box("rect", 200, 150, 50, 50),
        box("line", 500, 400, 9, 9),
    ]
    canvas = make(scene_of(*layers))
    hands = canvas.open()

    hands.drag(hands.place(80, 80), hands.place(260, 210))
    hands.key("g", "ctrl")
    hands.drag(hands.place(120, 120), hands.place(150, 120), FREE)
    canvas.save()
    inner = [box("rect", 0, 0, 50, 50), box("rect", 100, 50, 50, 50)]
    group = box("group", 130, 100, 150, 100, layers=inner)
    assert canvas.layers() == [group, layers[2]]

    hands.click(hands.place(150, 120), count=2)
    hands.key("ArrowUp", "shift")
    canvas.save()
    inner[0]["y"] = -10
    assert canvas.layers() == [group, layers[2]]

    canvas.select(0)
    hands.fill("rotation", "90")
    canvas.focus()
    hands.key("g", "ctrl", "shift")
    canvas.save()
    turned = {"width": 50, "height": 50, "rotation": 90}
    assert canvas.layers()[:2] == [
        {"type": "rect", "x": 215, "y": 75, **turned},
        {"type": "rect", "x": 155, "y": 175, **turned},
    ]


def test_spaces_between_layers_are_made_equal(make: Make, person: Person) -> None:
    canvas = make(scene_of(*(box("rect", x, 10, 40, 40) for x in (0, 90, 300))))
    hands = canvas.open()

    canvas.focus()
    hands.key("a", "ctrl")
    person.press("Align")
    person.press("Same space across")
    canvas.save()

    assert [layer["x"] for layer in canvas.layers()] == [0, 150, 300]


def test_turned_layer_keeps_its_opposite_corner(make: Make) -> None:
    canvas = make(scene_of(box("rect", 300, 200, 100, 100, rotation=90)))
    hands = canvas.open()

    hands.click(hands.place(350, 250))
    # Turned by 90 degrees, the upper right corner of the layer is the lower right one of the page.
    hands.drag(hands.middle_of("[data-handle='1,-1']"), hands.place(440, 320), FREE)
    canvas.save()

    (layer,) = canvas.layers()
    assert (layer["width"], layer["height"], layer["rotation"]) == (120, 140, 90)
    middle = layer["x"] + layer["width"] / 2, layer["y"] + layer["height"] / 2
    assert (middle[0] - 70, middle[1] - 60) == (300, 200)


def test_layer_is_turned_by_its_handle(make: Make) -> None:
    canvas = make(scene_of(box("rect", 300, 200, 100, 100)))
    hands = canvas.open()

    hands.click(hands.place(350, 250))
    hands.drag(hands.middle_of("[data-handle='rotate']"), hands.place(430, 252), "shift")
    canvas.save()

    assert canvas.layers() == [box("rect", 300, 200, 100, 100, rotation=90)]


def test_end_of_a_line_is_dragged(make: Make) -> None:
    canvas = make(scene_of(box("line", 100, 100, 200, 0, stroke_width=4)))
    hands = canvas.open()

    hands.click(hands.place(200, 100))
    hands.drag(hands.middle_of("[data-handle='end']"), hands.place(250, 180), FREE)
    hands.drag(hands.middle_of("[data-handle='start']"), hands.place(50, 60), FREE)
    canvas.save()

    assert canvas.layers() == [box("line", 50, 60, 200, 120, stroke_width=4)]


def test_moved_layer_snaps_to_the_page_and_to_others(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 37, 401, 50, 50), box("rect", 500, 100, 100, 100)))
    hands = canvas.open()

    # To the middle of the page across, and to the upper edge of the other one.
    hands.drag(hands.place(550, 150), hands.place(403, 454))
    canvas.save()

    assert canvas.layers()[1] == box("rect", 350, 401, 100, 100)
    assert person.browser.value("document.querySelectorAll('.guide').length") == 0


def test_escape_takes_a_drag_back(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 100, 100, 100, 100)))
    hands = canvas.open()

    hands.press_down(hands.place(150, 150))
    person.reads("Not saved", within=".scene-state")
    hands.key("Escape")
    hands.let_go(hands.place(300, 300))

    person.reads("draft r1", within=".scene-state")
    undo = "document.querySelector('[aria-keyshortcuts^=\"Control+Z\"]')"
    assert person.browser.value(f"{undo}.disabled")


def test_order_is_changed_by_keys_and_by_dragging(make: Make, person: Person) -> None:
    canvas = make(
        scene_of(*(box("rect", 10 * n, 10, 50, 50, id=name) for n, name in enumerate("abc")))
    )
    hands = canvas.open()

    person.browser.value("document.querySelector('.layer-grip').focus()")
    hands.key(" ")
    said = "document.querySelector('[id^=DndLiveRegion]').innerText"
    person.browser.wait_for(f"{said} === 'c is at the place of c.'")
    person.strike_until("ArrowDown", f"{said} === 'c is at the place of b.'")
    hands.key(" ")
    person.browser.wait_for("document.querySelector('.dragged') === null")
    canvas.save()
    assert [layer["id"] for layer in canvas.layers()] == ["a", "c", "b"]

    grips = "li:nth-child({}) > .layer-row > .layer-grip"
    above = hands.middle_of(grips.format(1))
    hands.press_down(hands.middle_of(grips.format(3)))
    person.browser.wait_for(f"{said} === 'a is at the place of a.'")
    hands.move(above)
    person.browser.wait_for(f"{said} === 'a is at the place of b.'")
    hands.let_go(above)
    person.browser.wait_for("document.querySelector('.dragged') === null")
    canvas.select(2)
    canvas.focus()
    hands.key("{", "ctrl", "shift")
    canvas.save()
    assert [layer["id"] for layer in canvas.layers()] == ["a", "c", "b"]


def test_finger_taps_and_drags(make: Make, person: Person) -> None:
    canvas = make(scene_of(box("rect", 100, 100, 100, 100), box("rect", 400, 100, 100, 100)))
    hands = canvas.open(width=390)

    hands.tap(hands.place(150, 150))
    person.browser.wait_for("document.querySelector('.layer.selected') !== null")
    hands.touch_drag(hands.place(150, 150), hands.place(150, 350))
    canvas.save()

    first, second = canvas.layers()
    assert first["y"] == pytest.approx(300, abs=3)
    assert second == box("rect", 400, 100, 100, 100)


def test_every_type_is_added(make: Make, person: Person) -> None:
    canvas = make(scene_of())
    canvas.open()

    person.press("Add a text")
    names = ["Rectangle", "Ellipse", "Line", "Picture", "QR code", "Bar code", "SVG"]
    for name in names:
        person.press("Add")
        person.press(name)
    canvas.save()

    types = ["text", "rect", "ellipse", "line", "image", "qrcode", "barcode", "svg"]
    assert [layer["type"] for layer in canvas.layers()] == types
    for layer in canvas.layers():
        assert layer["x"] + layer["width"] / 2 == pytest.approx(400, abs=1)
