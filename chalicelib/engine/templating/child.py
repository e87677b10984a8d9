"""Template process: warms up, enters the sandbox, then answers one request after another."""

import gc
import importlib
import os
import sys
from typing import TYPE_CHECKING, Final

from chalicelib.engine.sandbox import limits, process_sandbox, wire
from chalicelib.engine.templating.failures import cpu_time_failure
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.number import Number
from chalicelib.engine.templating.renderer import TemplateRenderer

if TYPE_CHECKING:
    from chalicelib.core.json import Json
    from chalicelib.engine.templating.worker import TemplateFault, TemplateRequest, TemplateText

_STDIN_FD: Final = 0
_STDOUT_FD: Final = 1
_RECYCLE_BYTES: Final = 128_000_000
_LAZY_IMPORTS: Final = (
    "jinja2.constants",
    "jinja2.debug",
    "html",
    "pprint",
    "textwrap",
    "encodings.utf_16",
)
# Runs every feature once before the sandbox closes: no file can be opened afterwards. Filters read
# their locales and time zones here (decision 21).
_WARM_UP_TEMPLATE: Final = (
    "{% macro m(x) %}{{ x|e }}{% endmacro %}{% for r in rows %}{{ loop.index }}{{ m(r.a ~ '-') }}"
    "{{ '%.2f'|format(r.n * 2.5) }}{% if r.a == 'b' and r.n is odd %}{{ r.a|upper }}{% endif %}"
    "{% endfor %}{{ rows|tojson }}{{ rows|sum(attribute='n') }}{{ missing.x }}"
    "{{ 1|money('EUR') }}{{ '2026-11-22T01:02Z'|datetime('full', 'Europe/Berlin') }}{{ 1|percent }}"
    "{{ 'a'|qrcode }}{{ 'a'|barcode }}{{ '[a](b) *c* `d` &amp;'|markdown }}"
)


def main(parent_pid: int) -> None:
    """Serve requests until the service closes the pipe or the process must be recycled."""
    renderer = _create_warm_renderer()
    missing_walls = process_sandbox.enter_sandbox(parent_pid)
    recycle_above_bytes = process_sandbox.peak_memory_bytes() + _RECYCLE_BYTES
    wire.send({"ready": True, "missing_walls": missing_walls}, _STDOUT_FD)
    while (request := wire.receive(_read, Number)) is not None:
        answer = _answer(renderer, request)
        must_recycle = (
            "code" in answer and answer["code"] == "template_fuel_exhausted"
        ) or process_sandbox.peak_memory_bytes() > recycle_above_bytes
        wire.send({**answer, "recycle": must_recycle}, _STDOUT_FD)
        if must_recycle:
            return


def _read(size: int) -> bytes:
    return os.read(_STDIN_FD, size)


def _answer(
    renderer: TemplateRenderer, request: "TemplateRequest"
) -> "TemplateText | TemplateFault":
    process_sandbox.start_cpu_timers(limits.CPU_S)
    try:
        result = renderer.render(
            request["source"],
            request["data"],
            strict=request["strict"],
            escape=request["escape"],
            includes=Includes.from_json(request["includes"]),
            locale_defaults=LocaleDefaults(**request["locale_defaults"]),
            compile_only=request["compile_only"],
        )
    except process_sandbox.CpuTimeError as error:  # Outside of the renderer's own handling.
        result = cpu_time_failure(error)
    finally:
        process_sandbox.stop_cpu_timers()
    if isinstance(result, str):
        # Most texts print none, and are sent without them.
        undefined = renderer.undefined_values
        return {"text": result, "undefined": undefined} if undefined else {"text": result}
    return {
        "code": result.code,
        "message": result.message,
        "line": result.line,
        "column": result.column,
        "excerpt": result.excerpt,
    }


def _create_warm_renderer() -> TemplateRenderer:
    # python-barcode imports Pillow for raster pictures, which no template draws.
    sys.modules["PIL"] = None  # type: ignore[assignment]
    for name in _LAZY_IMPORTS:
        importlib.import_module(name)
    renderer = TemplateRenderer()
    rows: Json = [{"a": "b", "n": 1}, {"a": "<", "n": 2}]
    renderer.render(_WARM_UP_TEMPLATE, {"rows": rows}, strict=False)
    renderer.render("{{ nothing }}", {}, strict=True)
    renderer.render("{% if %}", {}, strict=False)
    gc.collect()
    # The warmed objects live as long as the process: later collections skip them.
    gc.freeze()
    return renderer


if __name__ == "__main__":
    main(int(sys.argv[1]))
