"""Scenes of canvas templates: refusals and the layers they name."""

from typing import Any

import pytest

from chalicelib.contract.template import layers as models
from chalicelib.contract.template.layer_constraints import BIND_TARGETS, MAX_SIDE
from chalicelib.contract.template.scene import check_scene
from chalicelib.core.errors import ServiceError
from chalicelib.engine.barcodes import ERROR_CORRECTIONS, SYMBOLOGIES
from chalicelib.engine.canvas.scene import LAYER_DEFAULTS, read_scene

BOX = {"width": 10, "height": 10}
TEXT: dict[str, Any] = {"type": "text", **BOX}
KINDS: dict[str, type[models._Layer]] = {
    "text": models.TextLayer,
    "image": models.ImageLayer,
    "rect": models.RectLayer,
    "ellipse": models.EllipseLayer,
    "line": models.LineLayer,
    "qrcode": models.QrCodeLayer,
    "barcode": models.BarcodeLayer,
    "svg": models.SvgLayer,
    "group": models.GroupLayer,
}


def refusal_of(*layers: Any, **fields: Any) -> tuple[str, str]:
    """Return the location of a scene's error, as text and as a pointer."""
    with pytest.raises(ServiceError) as refused:
        check_scene({"width": 100, "height": 100, "layers": list(layers), **fields})
    assert refused.value.code == "scene_invalid"
    assert refused.value.problem.status == 422
    return refused.value.detail, refused.value.errors[0].path


def nested(levels: int, innermost: dict[str, Any]) -> dict[str, Any]:
    layer = innermost
    for _ in range(levels):
        layer = {"type": "group", "layers": [layer]}
    return layer


@pytest.mark.parametrize(
    ("layer", "place", "why"),
    [
        ({**TEXT, "width": -1}, "layers[1].width", "at least"),
        ({**TEXT, "width": "10"}, "layers[1].width", "a number"),
        ({**TEXT, "x": float("nan")}, "layers[1].x", "finite"),
        ({**TEXT, "y": float("inf")}, "layers[1].y", "finite"),
        ({**TEXT, "rotation": float("-inf")}, "layers[1].rotation", "finite"),
        ({**TEXT, "opacity": 2}, "layers[1].opacity", "at most"),
        ({**TEXT, "onclick": "x"}, "layers[1].onclick", "not known"),
        ({**TEXT, "color": "red;}body{"}, "layers[1].color", "CSS color"),
        ({**TEXT, "color": "url(https://a.test)"}, "layers[1].color", "CSS color"),
        ({**TEXT, "color": "var(--x)"}, "layers[1].color", "CSS color"),
        ({**TEXT, "font_family": 'x";}'}, "layers[1].font_family", "names of fonts"),
        ({**TEXT, "align": "left;x:y"}, "layers[1].align", "must be"),
        ({**TEXT, "bind": "a b"}, "layers[1]", "dotted path"),
        ({**TEXT, "bind": "a..b"}, "layers[1]", "dotted path"),
        ({**TEXT, "required": True}, "layers[1]", "go with bind"),
        (
            {"type": "rect", **BOX, "bind": "c", "fallback": "no;"},
            "layers[1]",
            "fallback is no fill",
        ),
        ({"type": "rect", **BOX, "bind": "{{ c }}"}, "layers[1]", "dotted path"),
        ({"type": "image", **BOX, "src": "javascript:alert(1)"}, "layers[1].src", "https URL"),
        ({"type": "image", **BOX, "src": "http://a.test/"}, "layers[1].src", "https URL"),
        ({"type": "image", **BOX, "src": "file:///etc/passwd"}, "layers[1].src", "https URL"),
        ({"type": "image", **BOX, "src": "data:text/html,x"}, "layers[1].src", "https URL"),
        ({"type": "image", **BOX, "src": 'https://a.test/">'}, "layers[1].src", "https URL"),
        ({"type": "image", **BOX, "src": "https://u:p@a.test/"}, "layers[1].src", "https URL"),
        ({"type": "image", **BOX, "src": "upload:a/../b"}, "layers[1].src", "https URL"),
        ({"type": "barcode", **BOX, "symbology": "x"}, "layers[1].symbology", "must be"),
        ({"type": "rect"}, "layers[1].width", "required"),
        ({"type": "script"}, "layers[1].type", "must be one of"),
        ({}, "layers[1].type", "is required"),
        (7, "layers[1]", "an object"),
        (
            {"type": "group", "layers": [TEXT, {**TEXT, "text": 1}]},
            "layers[1].layers[1].text",
            "a str",
        ),
    ],
)
def test_refusal_names_the_layer(layer: Any, place: str, why: str) -> None:
    detail, pointer = refusal_of(TEXT, layer)

    assert detail.startswith(f"{place}: ")
    assert why in detail
    assert pointer == "/scene/" + place.replace("[", "/").replace("]", "").replace(".", "/")


@pytest.mark.parametrize("side", [0, MAX_SIDE + 1, 10.5, True, "10", None])
def test_sides_are_whole_pixels_up_to_the_limit(side: Any) -> None:
    assert refusal_of(height=side)[1] == "/scene/height"


def test_layers_and_levels_are_bounded() -> None:
    check_scene({"width": MAX_SIDE, "height": 1, "layers": [TEXT] * 1000})
    check_scene({**BOX, "layers": [nested(19, TEXT)]})

    assert refusal_of(*[7] * 1_000_000)[1] == "/scene/layers"
    assert refusal_of(*[TEXT] * 999, {"type": "group", "layers": [TEXT]})[1] == "/scene/layers"
    assert "deeper than 20 levels" in refusal_of(nested(20, TEXT))[0]
    assert "deeper than 20 levels" in refusal_of(nested(90_000, TEXT))[0]


def test_layer_ids_are_unique() -> None:
    detail, _ = refusal_of({**TEXT, "id": "a"}, nested(1, {**TEXT, "id": "a"}))

    assert detail == "layers[1].layers[0].id: is the id of layers[0] as well"


@pytest.mark.parametrize("kind", KINDS)
def test_drawing_uses_the_contract_defaults(kind: str) -> None:
    model = KINDS[kind]
    sent: dict[str, Any] = {"type": kind} if kind in {"line", "group"} else {"type": kind, **BOX}

    (layer,) = read_scene({**BOX, "layers": [sent]}).layers

    dumped = model.model_validate(sent).model_dump()
    assert {**layer.fields, "layers": list(layer.layers)} == {"layers": [], **dumped}
    assert BIND_TARGETS[kind] in layer.fields


def test_every_kind_of_layer_and_code_is_known_everywhere() -> None:
    qr, bars = models.QrCodeLayer.model_fields, models.BarcodeLayer.model_fields

    assert set(KINDS) == set(LAYER_DEFAULTS) == set(BIND_TARGETS)
    assert qr["error_correction"].annotation.__args__ == ERROR_CORRECTIONS  # type: ignore[union-attr]
    assert set(bars["symbology"].annotation.__args__) == set(SYMBOLOGIES)  # type: ignore[union-attr]
