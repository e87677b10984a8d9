"""Scenes drawn by the real browser, and what such an outcome shows."""

import io
import time
from collections.abc import Mapping
from typing import Any

import pypdf
from PIL import Image

from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.job import Canvas, Job, Outcome
from chalicelib.engine.options.output import Output
from chalicelib.engine.pipeline import Parts, run
from chalicelib.engine.templating.worker import TemplateWorker
from tests.builders.engine import NoOutside, no_uploads

LONG = "The quick brown fox jumps over the lazy dog. " * 8


class Draw:
    """Draws scenes with a browser and a template process."""

    def __init__(self, browser: Browser, templates: TemplateWorker) -> None:
        self._parts = Parts(browser, templates, NoOutside())

    def __call__(
        self,
        *layers: Mapping[str, Any],
        data: Mapping[str, Any] | None = None,
        size: tuple[int, int] = (400, 300),
        output: Mapping[str, Any] | None = None,
        **scene: Any,
    ) -> Outcome:
        scene = {"width": size[0], "height": size[1], "layers": list(layers), **scene}
        made = Output.from_json({"format": "png"} | dict(output or {}))
        job = Job(Canvas(scene), made, time.time() + 60, no_uploads, data=data)
        return run(job, self._parts)


def box(type_: str, x: float, y: float, width: float, height: float, **more: Any) -> dict[str, Any]:
    return {"type": type_, "x": x, "y": y, "width": width, "height": height, **more}


def picture_of(outcome: Outcome) -> Image.Image:
    return Image.open(io.BytesIO(outcome.files[0].content)).convert("RGB")


def reader_of(outcome: Outcome) -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(outcome.files[0].content))


def told(outcome: Outcome) -> list[tuple[str, str | None]]:
    return [(warning.code, warning.detail) for warning in outcome.trace.warnings]
