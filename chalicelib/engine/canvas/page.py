"""HTML page of a canvas scene, and the output options that fit it (decision 22)."""

from collections.abc import Callable, Iterator
from copy import replace
from dataclasses import dataclass
from html import escape
from typing import Final

from chalicelib.contract.options.image import Viewport
from chalicelib.contract.options.output import OutputOptions
from chalicelib.contract.options.pdf import HeaderFooter, Margin
from chalicelib.contract.template.layer_constraints import MAX_SIDE
from chalicelib.core.json import JsonObject
from chalicelib.core.text import replace_lone_surrogates
from chalicelib.engine.canvas import css
from chalicelib.engine.canvas.binding import DataBinding, RunTemplate
from chalicelib.engine.canvas.draw import LayerDrawing
from chalicelib.engine.canvas.scene import Scene, read_scene, scene_invalid
from chalicelib.engine.context import RenderWarning
from chalicelib.engine.deadline import Deadline

# Bound of decision 22.
MAX_WARNINGS: Final = 50
# Allows only pictures and this page's style, so that markup that got past the escaping is harmless.
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
    """Page of a scene with its data; `output` is the caller's, fitted to the scene."""

    html: str
    output: OutputOptions
    warnings: tuple[RenderWarning, ...]


def canvas_page(
    source: JsonObject,
    data: JsonObject,
    output: OutputOptions,
    *,
    run_template: RunTemplate,
    uploads: Callable[[str], bytes],
    deadline: Deadline,
) -> CanvasPage:
    """Return the page of a scene over data; `run_template` returns plain text.

    Raises RenderFailure `scene_invalid`, `data_invalid`, `render_timeout`, and those of templates
    and uploads.
    """
    scene = read_scene(source)
    fitted_output = _fit_output(output, scene)
    warnings: list[RenderWarning] = []

    def warn(code: str, message: str, path: str) -> None:
        if len(warnings) < MAX_WARNINGS:
            warnings.append(RenderWarning(code, message, path))

    drawing = LayerDrawing(
        DataBinding(data=data, run_template=run_template, warn=warn), uploads, deadline, warn
    )
    for name in _ignored_options(output):
        message = f"output.{name} was ignored: a canvas has its own size and one page"
        warn("feature_unavailable", message, f"output.{name}")
    layers = drawing.draw_layers(scene.layers)
    html = replace_lone_surrogates(_page_html(scene, layers, output.locale))
    return CanvasPage(html, fitted_output, tuple(warnings))


def _page_html(scene: Scene, layers: str, locale: str | None) -> str:
    size = {"width": css.px(scene.width), "height": css.px(scene.height)}
    background = None if scene.background is None else css.color(scene.background)
    language = "" if locale is None else f' lang="{escape(locale)}"'
    page_rule = f"@page{{size:{size['width']} {size['height']};margin:0}}"
    # A printed page is a fraction of a pixel larger: the body's background covers all of it.
    body_style, scene_style = (
        css.style_attribute({**size, "background-color": background}),
        css.style_attribute(size),
    )
    return (
        f'<!doctype html><html{language}><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(_CONTENT_SECURITY_POLICY)}">'
        f"<style>{_STYLE}{page_rule}</style></head>"
        f'<body {body_style}><div class="scene" {scene_style}>{layers}</div></body></html>'
    )


def _fit_output(output: OutputOptions, scene: Scene) -> OutputOptions:
    """Return the output at the scene's size, on one page without margins."""
    viewport = None
    if output.has_pictures:
        viewport = _image_viewport(output, scene)
    image = output.image
    fit_size = image.fit_size or (None, None)
    return replace(
        output,
        viewport=viewport,
        image=replace(
            image,
            viewport=None,
            width=fit_size[0],
            height=fit_size[1],
            full_page=False,
            clip_selector=None,
        ),
        pdf=replace(
            output.pdf,
            width=f"{scene.width}px",
            height=f"{scene.height}px",
            landscape=False,
            scale=1.0,
            margin=Margin("0", "0", "0", "0"),
            print_background=True,
            prefer_css_page_size=True,
            header=HeaderFooter(),
            footer=HeaderFooter(),
            first_header=None,
            first_footer=None,
            last_footer=None,
        ),
        javascript=False,
        media=None,
    )


def _image_viewport(output: OutputOptions, scene: Scene) -> Viewport:
    """Return the window for pictures.

    Printing needs none, and a printed scene may be larger than any window.
    """
    viewport = output.layout_viewport()
    scale = 1.0 if viewport is None else viewport.device_scale_factor
    _check_side("width", scene.width * scale)
    _check_side("height", scene.height * scale)
    return Viewport(scene.width, scene.height, scale)


def _ignored_options(output: OutputOptions) -> Iterator[str]:
    """Yield the names of given options that have no meaning for a scene."""
    pair = output.pdf.header_footer
    has_pdf = "pdf" in output.formats
    if has_pdf and pair.header is not None:
        yield "pdf.header"
    if has_pdf and pair.footer is not None:
        yield "pdf.footer"
    if not output.has_pictures:
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
