"""`/v1/pdf/…` and `/v1/images/…`: shorter forms of the render request."""

import re
from copy import replace
from typing import Final

from chalicelib.api._submit import ENDPOINT_FIELDS, submit_render
from chalicelib.api.edge.endpoint import JSON, Call, Endpoint, Reply, endpoint
from chalicelib.core.errors import ServiceError

_TEXT: Final = "text/plain"
_IMAGES: Final = ("image/png", "image/jpeg", "image/webp")
_DESCRIPTION: Final = """A short form of `POST /v1/renders`, with the fields of `input` at the top
level and `{}` in place of `output`. The response is the same."""
_NESTED_POINTER: Final = re.compile(r"^/(?:input|output)(?=/)")


def _convenience(path: str, model: str, summary: str) -> Endpoint:
    def view(call: Call) -> Reply:
        try:
            return submit_render(call, call.body.render_request())
        except ServiceError as refusal:
            _flatten_pointers(refusal)
            raise

    is_pdf = path.startswith("pdf/")
    view.__name__ = path.replace("/", "_")
    view.__doc__ = f"{summary}.\n\n" + _DESCRIPTION.format(
        "pdf" if is_pdf else "image` and `format"
    )
    files = ("application/pdf",) if is_pdf else _IMAGES
    row = {**ENDPOINT_FIELDS, "answer_types": (JSON, *files, _TEXT)}
    body = f"chalicelib.contract.render.conveniences:{model}"
    return endpoint("POST", f"/v1/{path}", body=body, **row)(view)


def _flatten_pointers(refusal: ServiceError) -> None:
    """Rewrite the pointers of an error to the fields of the short request."""
    refusal.detail = _NESTED_POINTER.sub("", refusal.detail)
    refusal.errors = tuple(
        replace(error, path=_NESTED_POINTER.sub("", error.path)) for error in refusal.errors
    )


PDF_HTML: Final = _convenience("pdf/html", "PdfFromHtml", "Make a PDF of HTML")
PDF_URL: Final = _convenience("pdf/url", "PdfFromUrl", "Make a PDF of a page of the web")
PDF_TEMPLATE: Final = _convenience("pdf/template", "PdfFromTemplate", "Make a PDF of a template")
IMAGES_HTML: Final = _convenience("images/html", "ImageFromHtml", "Make a picture of HTML")
IMAGES_URL: Final = _convenience(
    "images/url", "ImageFromUrl", "Make a picture of a page of the web"
)
IMAGES_TEMPLATE: Final = _convenience(
    "images/template", "ImageFromTemplate", "Make a picture of a template"
)
