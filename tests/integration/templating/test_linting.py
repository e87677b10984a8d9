"""Linting of templates: every text is run by the real process, whatever the others find."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from chalicelib.engine.job import CanvasScene
from chalicelib.engine.lint import template_faults
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import RefusingEgress, job

pytestmark = pytest.mark.integration


@pytest.fixture
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def test_each_faulty_text_is_reported_with_its_location(worker: TemplateWorker) -> None:
    output = {
        "filename": "{{ name|nothing }}.pdf",
        "pdf": {"header": {"enabled": True, "html": "<b>{{ ok }}\n{% endif %}"}},
    }
    broken = job("<p>\n{% if %}", output, head="{{ 1 / 0 }}", templating=True, data={"ok": 1})

    faults = template_faults(broken, worker, RefusingEgress())

    assert [fault.code for fault in faults] == [
        "template_syntax_error",
        "template_runtime_error",
        "template_runtime_error",
        "template_syntax_error",
    ]
    assert [fault.members["line"] for fault in faults] == [2, 1, 1, 2]
    named = [fault.detail.partition(": ")[0] for fault in faults]
    assert named == ["html", "head", "output.filename", "output.pdf.header.html"]
    assert template_faults(job("{{ a }}", templating=True), worker, RefusingEgress()) == []


def test_scene_error_does_not_hide_template_errors(worker: TemplateWorker) -> None:
    place = {"x": 0, "y": 0, "width": 9, "height": 9}
    texts = [{"type": "text", "bind": f"{{{{ a|f{n} }}}}", **place} for n in range(2)]
    picture = {"type": "image", "bind": "gone", "required": True, **place}
    scene = {"width": 9, "height": 9, "layers": [texts[0], picture, texts[1]]}

    faults = template_faults(replace(job(""), source=CanvasScene(scene)), worker, RefusingEgress())

    assert [fault.code for fault in faults] == ["template_runtime_error", "data_invalid"]
    assert faults[0].detail.startswith("layers[0].bind: ")


def test_faults_are_reported_up_to_a_limit(worker: TemplateWorker) -> None:
    layer = {"type": "text", "x": 0, "y": 0, "width": 9, "height": 9}
    layers = [{**layer, "bind": f"{{{{ a|f{n} }}}}"} for n in range(50)]
    scene = CanvasScene({"width": 9, "height": 9, "layers": layers})
    assert len(template_faults(replace(job(""), source=scene), worker, RefusingEgress())) == 20
