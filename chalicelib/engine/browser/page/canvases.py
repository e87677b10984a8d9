"""Canvases of scripts: drawn sharp for paper, and told where they would need WebGL.

Libraries of charts draw for `devicePixelRatio`. That of the window would also change which pictures
and style rules are chosen, so scripts alone see another one.
"""

from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.contract.options.output import OutputOptions
from chalicelib.engine.context import RenderWarning

# 192 pixels an inch.
_PAPER_PIXEL_RATIO: Final = 2
MAX_CANVASES: Final = 20
# Expression for a script of the isolated world: selectors of the canvases in the document that were
# refused WebGL. Events of a canvas are seen in both worlds.
REFUSED_CANVASES: Final = f"""(() => {{
  const found = [];
  const add = ({{target}}) => {{
    if (!(target instanceof HTMLCanvasElement) || found.length >= {MAX_CANVASES}) return;
    const {{width, height}} = Element.prototype.getBoundingClientRect.call(target);
    const id = Element.prototype.getAttribute.call(target, 'id');
    if (width && height) found.push(id ? `canvas#${{CSS.escape(id).slice(0, 100)}}` : 'canvas');
  }};
  window.addEventListener('platen-no-webgl', add, true);
  window.dispatchEvent(new Event('platen-canvases'));
  window.removeEventListener('platen-no-webgl', add, true);
  return found;
}})()"""


def canvas_script(output: OutputOptions) -> str:
    """Return the script for each document before its own scripts."""
    ratio = _PAPER_PIXEL_RATIO if _is_for_paper(output) else 1
    return _script().replace("MIN_PIXEL_RATIO", str(ratio))


def webgl_warnings(selectors: list[str]) -> list[RenderWarning]:
    """Return a warning for each canvas that was refused WebGL."""
    return [
        RenderWarning(
            "feature_unavailable",
            f"{selector} is empty: a script asked for WebGL, which the browser has not. Draw it "
            "in two dimensions, or send a picture of it.",
            selector,
        )
        for selector in dict.fromkeys(selectors)
    ]


def _is_for_paper(output: OutputOptions) -> bool:
    """Tell whether a PDF is made and nothing says how many pixels scripts draw for."""
    viewport = output.viewport
    return "pdf" in output.formats and (viewport is None or viewport.device_scale_factor == 1)


@cache
def _script() -> str:
    return Path(__file__).with_name("canvases.js").read_text()
