"""The template process: warms up, gives up its rights, then answers one message after another."""

import gc
import importlib
import os
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from chalicelib.engine.templating import confinement, wire
from chalicelib.engine.templating.faults import Fault
from chalicelib.engine.templating.filters.habits import Habits
from chalicelib.engine.templating.fuel import FuelError
from chalicelib.engine.templating.includes import Includes
from chalicelib.engine.templating.renderer import Renderer

_INPUT: Final = 0
_OUTPUT: Final = 1
_RETIREMENT_BYTES: Final = 128_000_000
_LATE_IMPORTS: Final = (
    "jinja2.constants",
    "jinja2.debug",
    "html",
    "pprint",
    "textwrap",
    "encodings.utf_16",
)
# Each part loads here, once and for all, what it needs of files: locales and time zones, too.
_WARM_UP: Final = (
    "{% macro m(x) %}{{ x|e }}{% endmacro %}{% for r in rows %}{{ loop.index }}{{ m(r.a ~ '-') }}"
    "{{ '%.2f'|format(r.n * 2) }}{% if r.a == 'b' and r.n is odd %}{{ r.a|upper }}{% endif %}"
    "{% endfor %}{{ rows|tojson }}{{ rows|sum(attribute='n') }}{{ missing.x }}"
    "{{ 1|money('EUR') }}{{ '2026-11-22T01:02Z'|datetime('full', 'Europe/Berlin') }}{{ 1|percent }}"
    "{{ 'a'|qrcode }}{{ 'a'|barcode }}{{ '[a](b) *c* `d` &amp;'|markdown }}"
)


def main(parent: int) -> None:
    """Serve until the other side closes the pipe or a run leaves the process in doubt."""
    renderer = _warm_renderer()
    confined = confinement.confine(parent)
    ceiling = confinement.peak_memory_bytes() + _RETIREMENT_BYTES
    wire.send({"ready": True, "confined": confined}, _OUTPUT)
    while (request := wire.receive(lambda size: os.read(_INPUT, size))) is not None:
        answer = _answer(renderer, request)
        answer["retire"] = (
            answer.get("code") == "template_fuel_exhausted"
            or confinement.peak_memory_bytes() > ceiling
        )
        wire.send(answer, _OUTPUT)
        if answer["retire"]:
            return


def _answer(renderer: Renderer, request: Mapping[str, Any]) -> dict[str, Any]:
    confinement.start_clock()
    try:
        result = renderer.render(
            request["source"],
            request["data"],
            strict=request["strict"],
            escape=request["escape"],
            includes=Includes.from_json(request["includes"]),
            habits=Habits(**request["habits"]),
        )
    except FuelError as error:  # The clock ran out between two parts of the renderer.
        result = Fault("template_fuel_exhausted", str(error))
    finally:
        confinement.stop_clock()
    return {"text": result} if isinstance(result, str) else asdict(result)


def _warm_renderer() -> Renderer:
    # python-barcode would load it for pictures, which nobody here asks for.
    sys.modules["PIL"] = None  # type: ignore[assignment]
    for name in _LATE_IMPORTS:
        importlib.import_module(name)
    renderer = Renderer()
    rows = [{"a": "b", "n": 1}, {"a": "<", "n": 2.5}]
    renderer.render(_WARM_UP, {"rows": rows}, strict=False)
    renderer.render("{{ nothing }}", {}, strict=True)
    renderer.render("{% if %}", {}, strict=False)
    gc.collect()
    gc.freeze()
    return renderer


if __name__ == "__main__":
    main(int(sys.argv[1]))
