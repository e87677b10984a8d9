"""Linting of templates: every text is run by the real process, whatever the others find."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.lint import template_faults
from chalicelib.engine.sources import CanvasSource, HtmlSource
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import RefusingEgress, task
from tests.builders.pages.scene_renderer import box

pytestmark = pytest.mark.integration


@pytest.fixture
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def test_each_faulty_text_is_reported_with_its_location(worker: TemplateWorker) -> None:
    output: dict[str, Any] = {
        "filename": "{{ name|nothing }}.pdf",
        "pdf": {"header": {"enabled": True, "html": "<b>{{ ok }}\n{% endif %}"}},
    }
    broken = task("<p>\n{% if %}", output, head="{{ 1 / 0 }}", templating=True, data={"ok": 1})

    faults = template_faults(*broken, worker, RefusingEgress()).failures

    assert [fault.code for fault in faults] == [
        "template_syntax_error",
        "template_runtime_error",
        "template_runtime_error",
        "template_syntax_error",
    ]
    assert [fault.members["line"] for fault in faults] == [2, 1, 1, 2]
    named = [fault.detail.partition(": ")[0] for fault in faults]
    assert named == ["html", "head", "output.filename", "output.pdf.header.html"]
    source = HtmlSource(html="x", css="{{ 1 / 0 }}", templating=True)
    job, context = task(source=source)
    with pytest.raises(RenderFailure) as failed:
        job.document(context, worker)
    assert failed.value.detail.startswith("css: ")
    failures, warnings = template_faults(
        *task("{{ a }}", templating=True), worker, RefusingEgress()
    )
    assert not failures
    assert [warning.detail for warning in warnings] == ["html, line 1, column 4"]


def test_scene_error_does_not_hide_template_errors(worker: TemplateWorker) -> None:
    texts = [box("text", 0, 0, 9, 9, bind=f"{{{{ a|f{n} }}}}") for n in range(2)]
    picture = box("image", 0, 0, 9, 9, bind="gone", required=True)
    scene = CanvasSource({"width": 9, "height": 9, "layers": [texts[0], picture, texts[1]]})

    faults = template_faults(*task(source=scene), worker, RefusingEgress()).failures

    assert [fault.code for fault in faults] == ["template_runtime_error", "data_invalid"]
    assert faults[0].detail.startswith("layers[0].bind: ")


def test_faults_are_reported_up_to_a_limit(worker: TemplateWorker) -> None:
    layers = [box("text", 0, 0, 9, 9, bind=f"{{{{ a|f{n} }}}}") for n in range(50)]
    scene = CanvasSource({"width": 9, "height": 9, "layers": layers})
    assert len(template_faults(*task(source=scene), worker, RefusingEgress()).failures) == 20
