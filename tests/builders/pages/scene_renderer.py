"""Scenes drawn by the real browser, and readers of the outcome."""

import io
from collections.abc import Mapping
from typing import Any

import pypdf
from PIL import Image

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pipeline import PipelineServices, run_page_job
from chalicelib.engine.sources import CanvasSource
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.pages.engine_jobs import RefusingEgress, task
from tests.builders.pages.real_browser import WORKSPACE

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
        made = {"format": "png"} | dict(output or {})
        parts: Any = {"source": CanvasSource(scene), "data": data, "lane": WORKSPACE}
        drawn = task("", made, seconds=60, **parts)
        return run_page_job(*drawn, self._parts)


def box(type_: str, x: float, y: float, width: float, height: float, **more: Any) -> dict[str, Any]:
    return {"type": type_, "x": x, "y": y, "width": width, "height": height, **more}


def picture_of(outcome: RenderOutcome) -> Image.Image:
    return Image.open(io.BytesIO(outcome.files[0].content)).convert("RGB")


def reader_of(outcome: RenderOutcome) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(outcome.files[0].content))


def warnings_of(outcome: RenderOutcome) -> list[tuple[str, str | None]]:
    return [(warning.code, warning.detail) for warning in outcome.trace.warnings]
