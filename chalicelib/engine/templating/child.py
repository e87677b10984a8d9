"""The template process: warms up, gives up its rights, then answers one message after another."""

import gc
import importlib
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from chalicelib.engine.templating import process_sandbox, wire
from chalicelib.engine.templating.failures import TemplateFailure
from chalicelib.engine.templating.filters.locale_defaults import LocaleDefaults
from chalicelib.engine.templating.fuel import FuelError
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.renderer import TemplateRenderer

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
# Each part loads here, once and for all, what it needs of files: locales and time zones, too.
_WARM_UP_TEMPLATE: Final = (
    "{% macro m(x) %}{{ x|e }}{% endmacro %}{% for r in rows %}{{ loop.index }}{{ m(r.a ~ '-') }}"
    "{{ '%.2f'|format(r.n * 2) }}{% if r.a == 'b' and r.n is odd %}{{ r.a|upper }}{% endif %}"
    "{% endfor %}{{ rows|tojson }}{{ rows|sum(attribute='n') }}{{ missing.x }}"
    "{{ 1|money('EUR') }}{{ '2026-11-22T01:02Z'|datetime('full', 'Europe/Berlin') }}{{ 1|percent }}"
    "{{ 'a'|qrcode }}{{ 'a'|barcode }}{{ '[a](b) *c* `d` &amp;'|markdown }}"
)


def main(parent_pid: int) -> None:
    """Serve until the other side closes the pipe or a run leaves the process in doubt."""
    renderer = _create_warm_renderer()
    confined = process_sandbox.enter_sandbox(parent_pid)
    ceiling = process_sandbox.peak_memory_bytes() + _RECYCLE_BYTES
    wire.send({"ready": True, "is_filtered": confined}, _STDOUT_FD)
    while (request := wire.receive(lambda size: os.read(_STDIN_FD, size))) is not None:
        answer = _answer(renderer, request)
        answer["recycle"] = (
            answer.get("code") == "template_fuel_exhausted"
            or process_sandbox.peak_memory_bytes() > ceiling
        )
        wire.send(answer, _STDOUT_FD)
        if answer["recycle"]:
            return


def _answer(renderer: TemplateRenderer, request: Mapping[str, Any]) -> dict[str, Any]:
    process_sandbox.start_cpu_timers()
    try:
        result = renderer.render(
            request["source"],
            request["data"],
            strict=request["strict"],
            escape=request["escape"],
            includes=Includes.from_json(request["includes"]),
            locale_defaults=LocaleDefaults(**request["locale_defaults"]),
        )
    except FuelError as error:  # The clock ran out between two parts of the renderer.
        result = TemplateFailure("template_fuel_exhausted", str(error))
    finally:
        process_sandbox.stop_cpu_timers()
    return {"text": result} if isinstance(result, str) else asdict(result)


def _create_warm_renderer() -> TemplateRenderer:
    # python-barcode would load it for pictures, which nobody here asks for.
    sys.modules["PIL"] = None  # type: ignore[assignment]
    for name in _LAZY_IMPORTS:
        importlib.import_module(name)
    renderer = TemplateRenderer()
    rows = [{"a": "b", "n": 1}, {"a": "<", "n": 2.5}]
    renderer.render(_WARM_UP_TEMPLATE, {"rows": rows}, strict=False)
    renderer.render("{{ nothing }}", {}, strict=True)
    renderer.render("{% if %}", {}, strict=False)
    gc.collect()
    gc.freeze()
    return renderer


if __name__ == "__main__":
    main(int(sys.argv[1]))
