"""Canvas templates through the API: invalid scenes are refused, valid ones drawn with data."""

from typing import Any

from chalicelib.engine.sources import CanvasSource
from tests.builders.service import Service
from tests.builders.templates import (
    TEMPLATES_PATH,
    make_template,
    post_template,
    put_draft,
    render_template,
)
from tests.fakes.engine import content_of

SCENE: dict[str, Any] = {
    "width": 400,
    "height": 300,
    "layers": [{"type": "text", "width": 100, "height": 20, "bind": "name", "required": True}],
}


def test_scene_is_drawn_with_the_data(service: Service) -> None:
    path = make_template(service, type="image_canvas", html=None, scene=SCENE, publish=True)

    answer = render_template(service, path, data={"name": "Ada"}, output={"format": "png"})

    assert answer.status == 200, answer.body
    job = service.engine.jobs[-1]
    assert (content_of(job), job.data) == (CanvasSource(SCENE), {"name": "Ada"})


def test_invalid_scene_is_refused_as_draft(service: Service) -> None:
    wide = SCENE | {"width": 16_385}
    nested = SCENE | {"layers": [{"type": "group", "layers": [{"type": "rect", "width": 1}]}]}
    path = make_template(service, type="image_canvas", html=None, scene=SCENE)

    refused = post_template(service, type="image_canvas", html=None, scene=wide)
    whole = post_template(service, type="image_canvas", html=None, content={"scene": wide})
    kept = put_draft(service, path, scene=nested)

    assert (refused.status, refused.code) == (422, "scene_invalid")
    assert refused.pointers == ["/scene/width"]
    assert (whole.code, whole.pointers) == ("scene_invalid", ["/content/scene/width"])
    assert (kept.code, kept.pointers) == ("scene_invalid", ["/scene/layers/0/layers/0/height"])
    assert kept.json["detail"] == "layers[0].layers[0].height: is required"
    assert service.call("GET", f"{path}/draft").json["content"]["scene"] == SCENE
    assert len(service.call("GET", TEMPLATES_PATH).json["data"]) == 1


def test_scene_texts_include_templates(service: Service) -> None:
    inner = make_template(service, html="inner {{ n }}", publish=True).rpartition("/")[2]
    text = {"type": "text", "width": 9, "height": 9, "bind": f"{{% include '{inner}' %}}"}
    scene = SCENE | {"layers": [text]}
    path = make_template(service, type="image_canvas", html=None, scene=scene, publish=True)

    answer = render_template(service, path)

    assert answer.status == 200, answer.body
    assert service.engine.jobs[-1].includes.sources == {inner: "inner {{ n }}"}
