"""The page that shows a scene, and the output that fits it."""

from collections.abc import Callable, Iterator, Mapping
from copy import replace
from dataclasses import dataclass
from html import escape
from typing import Any, Final

from chalicelib.contract.template.layer_constraints import MAX_SIDE
from chalicelib.core.text import replace_lone_surrogates
from chalicelib.engine.canvas import css
from chalicelib.engine.canvas.binding import DataBinding, RunTemplate
from chalicelib.engine.canvas.draw import LayerDrawing
from chalicelib.engine.canvas.scene import Scene, read_scene, scene_invalid
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.job import RenderWarning
from chalicelib.engine.options.image import Viewport
from chalicelib.engine.options.output import IMAGE_FORMATS, OutputOptions
from chalicelib.engine.options.pdf import HeaderFooterPair, Margin

MAX_WARNINGS: Final = 50
_PX_PER_INCH: Final = 96
_NO_HEADER_FOOTER: Final = HeaderFooterPair(None, None)
# Nothing but pictures and this page's own style: whatever got past the escaping can do nothing.
_CONTENT_SECURITY_POLICY: Final = (
    "default-src 'none'; img-src https: data:; style-src 'unsafe-inline'"
)
_STYLE: Final = """\
*{margin:0;padding:0;box-sizing:border-box}
html{text-rendering:geometricPrecision;print-color-adjust:exact}
body{position:relative;overflow:hidden}
body div{position:absolute}
body>.scene{left:0;top:0;overflow:hidden}
.t{display:flex;flex-direction:column;overflow:hidden;contain:layout size}
.t p{flex:none;max-width:100%;white-space:pre-wrap;overflow-wrap:break-word;\
unicode-bidi:plaintext}
.shrink p{overflow-wrap:normal}
.ellipsis p{overflow-wrap:anywhere}
img{display:block;width:100%}
.code{padding-top:.15em;font-family:"Cousine",monospace;line-height:1.2;text-align:center;\
white-space:pre;overflow:hidden}
"""


@dataclass(frozen=True, slots=True)
class CanvasPage:
    """A scene with its data in place; `output` is what was asked for, fitted to the scene."""

    html: str
    output: OutputOptions
    warnings: tuple[RenderWarning, ...]


def canvas_page(
    source: Mapping[str, Any],
    data: Mapping[str, Any],
    output: OutputOptions,
    *,
    run_template: RunTemplate,
    uploads: Callable[[str], bytes],
    deadline: Deadline,
) -> CanvasPage:
    """Return the page of a scene over data; `run` runs a template over them, as plain text.

    Raises RenderFailure `scene_invalid`, `data_invalid`, `render_timeout`, that of a template and
    that of an upload.
    """
    scene = read_scene(source)
    fitted = _fit_output(output, scene)
    warnings: list[RenderWarning] = []

    def warn(code: str, message: str, place: str) -> None:
        if len(warnings) < MAX_WARNINGS:
            warnings.append(RenderWarning(code, message, place))

    drawing = LayerDrawing(DataBinding(data, run_template, warn), uploads, deadline, warn)
    for name in _ignored_options(output):
        message = f"output.{name} was ignored: a canvas has its own size and one page"
        warn("feature_unavailable", message, f"output.{name}")
    layers = drawing.draw_layers(scene.layers)
    html = replace_lone_surrogates(_page_html(scene, layers, output.locale))
    return CanvasPage(html, fitted, tuple(warnings))


def _page_html(scene: Scene, layers: str, locale: str | None) -> str:
    size = {"width": css.px(scene.width), "height": css.px(scene.height)}
    ground = None if scene.background is None else css.color(scene.background)
    language = "" if locale is None else f' lang="{escape(locale)}"'
    sheet = f"@page{{size:{size['width']} {size['height']};margin:0}}"
    # A page of paper is a fraction of a pixel larger: the body's ground covers all of it.
    body, stage = (
        css.style_attribute({**size, "background-color": ground}),
        css.style_attribute(size),
    )
    return (
        f'<!doctype html><html{language}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_CONTENT_SECURITY_POLICY)}">'
        f"<style>{_STYLE}{sheet}</style></head>"
        f'<body {body}><div class="scene" {stage}>{layers}</div></body></html>'
    )


def _fit_output(output: OutputOptions, scene: Scene) -> OutputOptions:
    """Return the output in the scene's own size, on one page without margins."""
    view = None
    if IMAGE_FORMATS.intersection(output.formats):
        view = _image_viewport(output, scene)
    image = output.image
    frame = image.fit_size or (None, None)
    return replace(
        output,
        viewport=view,
        image=replace(
            image,
            viewport=None,
            width=frame[0],
            height=frame[1],
            full_page=False,
            clip_selector=None,
        ),
        pdf=replace(
            output.pdf,
            width=scene.width / _PX_PER_INCH,
            height=scene.height / _PX_PER_INCH,
            landscape=False,
            scale=1.0,
            margin=Margin(0, 0, 0, 0),
            print_background=True,
            prefer_css_page_size=True,
            header_footer=_NO_HEADER_FOOTER,
            first_page=_NO_HEADER_FOOTER,
            last_page=_NO_HEADER_FOOTER,
            single_page=_NO_HEADER_FOOTER,
        ),
        javascript=False,
        media=None,
    )


def _image_viewport(output: OutputOptions, scene: Scene) -> Viewport:
    """Return the window of pictures; paper needs none, and may be larger than one can be."""
    window = output.layout_viewport()
    scale = 1.0 if window is None else window.device_scale_factor
    _check_side("width", scene.width * scale)
    _check_side("height", scene.height * scale)
    return Viewport(scene.width, scene.height, scale)


def _ignored_options(output: OutputOptions) -> Iterator[str]:
    """Yield what was asked for and has no meaning for a scene."""
    bands = output.pdf.header_footer
    pdf = "pdf" in output.formats
    if pdf and bands.header is not None:
        yield "pdf.header"
    if pdf and bands.footer is not None:
        yield "pdf.footer"
    if IMAGE_FORMATS.isdisjoint(output.formats):
        return
    image = output.image
    if image.full_page:
        yield "image.full_page"
    if image.clip_selector is not None:
        yield "image.clip_selector"
    if image.fit_size is None:
        yield from (f"image.{side}" for side in ("width", "height") if getattr(image, side))


def _check_side(side: str, pixels: float) -> None:
    if round(pixels) > MAX_SIDE:
        message = (
            f"the picture would have {round(pixels)} pixels here with output.image.scale; "
            f"at most {MAX_SIDE} are possible"
        )
        raise scene_invalid(side, message)
