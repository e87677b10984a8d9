"""Data binding of layers: values, fallbacks and warnings."""

from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.canvas.binding import value_at
from chalicelib.engine.canvas.page import CanvasPage, canvas_page
from chalicelib.engine.deadline import Deadline
from tests.builders.pages.engine_jobs import no_uploads
from tests.builders.waiting import PATIENCE_S

DATA: dict[str, Any] = {
    "name": "Ada",
    "n": 3,
    "price": 2.5,
    "no": False,
    "nothing": None,
    "blank": "",
    "map": {"a": {"b": "deep"}, "0": "zero"},
    "list": ["first", {"x": "second"}],
    "color": "teal",
}


def draw(layer: dict[str, Any], data: dict[str, Any] = DATA) -> CanvasPage:
    def run(source: str) -> str:
        if "missing" in source:
            raise RenderFailure("template_runtime_error", "missing is undefined", line=1)
        return source.replace("{{ name }}", data.get("name", ""))

    return canvas_page(
        {"width": 10, "height": 10, "layers": [{"width": 5, "height": 5, **layer}]},
        data,
        OutputOptions.from_json({}),
        run_template=run,
        uploads=no_uploads,
        deadline=Deadline.after(PATIENCE_S),
    )


def shown(page: CanvasPage) -> str:
    return page.html.rpartition("<p>")[2].partition("</p>")[0]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("map.a.b", "deep"),
        ("map.0", "zero"),
        ("list.0", "first"),
        ("list.1.x", "second"),
        ("list.2", None),
        ("list.-1", None),
        ("list.\u0661", None),
        ("list.99999999999999999999", None),
        ("map.a.b.c", None),
        ("name.0", None),
        ("n.real", None),
        ("map.__class__", None),
        ("keys", None),
    ],
)
def test_paths_resolve_objects_and_arrays_only(path: str, value: Any) -> None:
    assert value_at(DATA, path) == value


@pytest.mark.parametrize(
    ("bind", "text", "warnings"),
    [
        ("name", "Ada", 0),
        ("n", "3", 0),
        ("price", "2.5", 0),
        ("blank", "", 0),
        ("no", "false", 1),
        ("map", "FALLBACK", 1),
        ("list", "FALLBACK", 1),
        ("nothing", "FALLBACK", 0),
        ("absent", "FALLBACK", 0),
        ("Hello {{ name }}", "Hello Ada", 0),
    ],
)
def test_binding_falls_back_and_warns(bind: str, text: str, warnings: int) -> None:
    page = draw({"type": "text", "text": "OWN", "bind": bind, "fallback": "FALLBACK"})

    assert shown(page) == text
    assert [warning.code for warning in page.warnings] == ["data_coerced"] * warnings
    assert all(bind in w.message and w.detail == "layers[0]" for w in page.warnings)


@pytest.mark.parametrize(("value", "text"), [(19.0, "19"), (2.50, "2.5"), (1.5e-7, "0.00000015")])
def test_bound_number_is_written_as_templates_print_it(value: float, text: str) -> None:
    assert shown(draw({"type": "text", "bind": "n"}, {"n": value})) == text


def test_literal_value_needs_no_fallback() -> None:
    assert shown(draw({"type": "text", "text": "OWN", "bind": "absent"})) == "OWN"


@pytest.mark.parametrize(
    "bind", ["absent", "nothing", "map.x", "{{ blank }}"], ids=["absent", "null", "inner", "blank"]
)
def test_required_value_must_be_there(bind: str) -> None:
    layer = {"type": "text", "bind": bind, "required": True, "fallback": "x"}
    data: dict[str, Any] = {"map": {}, "nothing": None}
    if "{" in bind:
        layer["bind"], data = "{{ name }}", {"name": " "}

    with pytest.raises(RenderFailure, match=r"layers\[0\] requires it") as refused:
        draw(layer, data)
    assert refused.value.code == "data_invalid"


def test_template_error_names_its_layer_and_position() -> None:
    with pytest.raises(RenderFailure, match=r"^layers\[0\]\.bind: missing is undefined") as fault:
        draw({"type": "text", "bind": "{{ missing }}"})

    assert (fault.value.code, fault.value.members) == ("template_runtime_error", {"line": 1})


@pytest.mark.parametrize(
    ("layer", "data", "part"),
    [
        ({"type": "rect", "fill": "red"}, "blue", "background-color:blue"),
        ({"type": "ellipse", "fill": "red"}, "red;x:y", "background-color:red"),
        ({"type": "line", "stroke": "red"}, 7, "background-color:red"),
        ({"type": "image"}, "https://a.test/?a=1&b=2", 'src="https://a.test/?a=1&amp;b=2"'),
        ({"type": "image", "fallback": "https://b.test/"}, "file:///x", "https://b.test/"),
        ({"type": "barcode", "symbology": "ean8", "value": "12345670"}, "x", ">12345670</p>"),
        ({"type": "qrcode", "value": "own"}, "x" * 4000, 'alt="own"'),
        ({"type": "svg"}, "<svg/>", "data:image/svg+xml;base64,PHN2Zy8+"),
    ],
)
def test_each_layer_type_accepts_its_value_types(
    layer: dict[str, Any], data: Any, part: str
) -> None:
    page = draw(layer | {"bind": "v"}, {"v": data})

    assert part in page.html
    usable = str(data) in part or data in {"https://a.test/?a=1&b=2", "<svg/>"}
    assert [warning.code for warning in page.warnings] == ["data_coerced"] * (not usable)


def test_literal_code_that_cannot_be_drawn_is_a_scene_error() -> None:
    with pytest.raises(RenderFailure, match=r"layers\[0\]: cannot be drawn: ean8") as refused:
        draw({"type": "barcode", "symbology": "ean8", "value": "x"})
    assert refused.value.code == "scene_invalid"


def test_number_of_warnings_is_bounded() -> None:
    layers = [{"type": "text", "width": 5, "height": 5, "bind": "map"}] * 60

    page = draw({"type": "group", "layers": layers})

    assert len(page.warnings) == 50
