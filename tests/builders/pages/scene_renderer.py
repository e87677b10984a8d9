"""Scenes drawn by the real browser, and readers of the outcome."""

import io
import time
from collections.abc import Mapping
from typing import Any

import pypdf
from PIL import Image

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import CanvasScene, Job, RenderOutcome
from chalicelib.engine.options.output import OutputOptions
from chalicelib.engine.pipeline import PipelineServices, run_job
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import RefusingEgress, no_uploads

LONG_TEXT = "The quick brown fox jumps over the lazy dog. " * 8


class SceneRenderer:
    """Draws scenes with a browser and a template process."""

    def __init__(self, browser: Browser, templates: TemplateWorker) -> None:
        self._parts = PipelineServices(browser, templates, RefusingEgress())

    def __call__(
        self,
        *layers: Mapping[str, Any],
        data: Mapping[str, Any] | None = None,
        size: tuple[int, int] = (400, 300),
        output: Mapping[str, Any] | None = None,
        **scene: Any,
    ) -> RenderOutcome:
        scene = {"width": size[0], "height": size[1], "layers": list(layers), **scene}
        made = OutputOptions.from_json({"format": "png"} | dict(output or {}))
        job = Job(CanvasScene(scene), made, time.time() + 60, no_uploads, data=data)
        return run_job(job, self._parts)


def box(type_: str, x: float, y: float, width: float, height: float, **more: Any) -> dict[str, Any]:
    return {"type": type_, "x": x, "y": y, "width": width, "height": height, **more}


def picture_of(outcome: RenderOutcome) -> Image.Image:
    return Image.open(io.BytesIO(outcome.files[0].content)).convert("RGB")


def reader_of(outcome: RenderOutcome) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(outcome.files[0].content))


def warnings_of(outcome: RenderOutcome) -> list[tuple[str, str | None]]:
    return [(warning.code, warning.detail) for warning in outcome.trace.warnings]
