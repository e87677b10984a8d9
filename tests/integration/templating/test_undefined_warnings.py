"""Warnings of undefined values that the texts of a job print, over the real process."""

from collections.abc import Iterator
from typing import Any

import pytest

from chalicelib.engine.sources import CanvasSource
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import Task, task
from tests.builders.pages.scene_renderer import box

pytestmark = pytest.mark.integration


@pytest.fixture
def worker() -> Iterator[TemplateWorker]:
    worker = TemplateWorker()
    yield worker
    worker.close()


def _warnings(worker: TemplateWorker, made: Task) -> list[tuple[str, str | None]]:
    job, context = made
    warnings = job.document(context, worker).warnings
    assert {warning.code for warning in warnings} <= {"undefined_value"}
    return [(warning.message.partition(",")[0], warning.detail) for warning in warnings]


def test_each_text_of_a_page_is_named(worker: TemplateWorker) -> None:
    output: dict[str, Any] = {
        "filename": "{{ number }}.pdf",
        "pdf": {"header": {"enabled": True, "html": "{{ page }}{{ title_of_page }}"}},
    }
    made = task("<p>\n{{ gone }}", output, head="{{ meta }}", templating=True, data={"a": 1})

    assert _warnings(worker, made) == [
        ("The template prints nothing for gone", "html, line 2, column 4"),
        ("The template prints nothing for meta", "head, line 1, column 4"),
        ("The template prints nothing for number", "output, line 1, column 4"),
        ("The template prints nothing for title_of_page", "output, line 1, column 14"),
    ]


def test_name_is_told_once_and_at_most_twenty(worker: TemplateWorker) -> None:
    many = "".join(f"{{{{ gone{n} }}}}" for n in range(30))
    made = task(many, {"filename": "{{ gone1 }}{{ other }}"}, templating=True, data={"a": 1})

    assert len(_warnings(worker, made)) == 20


def test_layers_of_a_scene_warn(worker: TemplateWorker) -> None:
    layer = box("text", 0, 0, 9, 9, bind="Hello {{ gone }}")
    scene = CanvasSource({"width": 9, "height": 9, "layers": [layer]})

    assert _warnings(worker, task(source=scene)) == [
        ("The template prints nothing for gone", "scene, line 1, column 10")
    ]
