"""`/v1/pdf/…` and `/v1/images/…`: shorter forms of the render request."""

import re
from copy import replace
from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.render._submit import ENDPOINT_FIELDS, submit_render
from chalicelib.core.errors import ServiceError

blueprint: Final = Blueprint(__name__)

_TEXT: Final = "text/plain"
_IMAGES: Final = ("image/png", "image/jpeg", "image/webp")
_DESCRIPTION: Final = """A short form of `POST /v1/renders`, with the fields of `input` at the top
level and `{}` in place of `output`. The response is the same."""
_NESTED_POINTER: Final = re.compile(r"^/(?:input|output)(?=/)")


def _add_route(path: str, model: str, summary: str) -> None:
    def view(call: Call) -> Reply:
        try:
            return submit_render(call, call.body.render_request())
        except ServiceError as refusal:
            _flatten_pointers(refusal)
            raise

    is_pdf = path.startswith("pdf/")
    view.__name__ = re.sub("[/-]", "_", path)
    view.__doc__ = f"{summary}.\n\n" + _DESCRIPTION.format(
        "pdf" if is_pdf else "image` and `format"
    )
    files = ("application/pdf",) if is_pdf else _IMAGES
    row = {**ENDPOINT_FIELDS, "answer_types": (JSON, *files, _TEXT)}
    body = f"chalicelib.contract.render.conveniences:{model}"
    blueprint.route(f"/v1/{path}", methods=["POST"])(endpoint(body=body, **row)(view))


def _flatten_pointers(refusal: ServiceError) -> None:
    """Rewrite the pointers of an error to the fields of the short request."""
    refusal.detail = _NESTED_POINTER.sub("", refusal.detail)
    refusal.errors = tuple(
        replace(error, path=_NESTED_POINTER.sub("", error.path)) for error in refusal.errors
    )


for _path, _model, _summary in (
    ("pdf/from-html", "PdfFromHtml", "Make a PDF of HTML"),
    ("pdf/from-url", "PdfFromUrl", "Make a PDF of a page of the web"),
    ("pdf/from-template", "PdfFromTemplate", "Make a PDF of a template"),
    ("images/from-html", "ImageFromHtml", "Make a picture of HTML"),
    ("images/from-url", "ImageFromUrl", "Make a picture of a page of the web"),
    ("images/from-template", "ImageFromTemplate", "Make a picture of a template"),
):
    _add_route(_path, _model, _summary)
