"""`/v1/pdf/…` and `/v1/images/…`: shorter forms of the render request."""

import re
from copy import replace
from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.render._submit import ENDPOINT_FIELDS, submit_render
from chalicelib.core.errors import ServiceError

blueprint: Final = Blueprint(__name__)

_IMAGES: Final = ("image/png", "image/jpeg", "image/webp")
_DESCRIPTION: Final = """A short form of `POST /v1/renders`, with the fields of `input` at the top
level, as those of `delivery`, whose `type` is `delivery` here, and `{}` in place of `output`, with
its `filename` and `http`. The response is the same."""
_DELIVERY_TYPE: Final = re.compile(r"^/delivery/type\b")
_NESTED_POINTER: Final = re.compile(r"^/(?:input|output|delivery)(?=/)")
_WEBHOOK_URL: Final = re.compile(r"^/webhook/url\b")


def _add_route(path: str, model: str, summary: str) -> None:
    def view(call: Call) -> Reply:
        try:
            return submit_render(call, call.body.render_request())
        except ServiceError as refusal:
            _flatten_pointers(refusal, has_webhook_url=call.body.webhook_url is not None)
            raise

    is_pdf = path.startswith("pdf/")
    view.__name__ = "create_" + re.sub("s?[/-]", "_", path)
    view.__doc__ = f"{summary}.\n\n" + _DESCRIPTION.format(
        "pdf" if is_pdf else "image` and `format"
    )
    files = ("application/pdf",) if is_pdf else _IMAGES
    row = {**ENDPOINT_FIELDS, "answer_types": (*files, JSON)}
    body = f"chalicelib.contract.render.conveniences:{model}"
    blueprint.route(f"/v1/{path}", methods=["POST"])(endpoint(body=body, **row)(view))


def _flatten_pointers(refusal: ServiceError, *, has_webhook_url: bool) -> None:
    """Rewrite the pointers of an error to the fields of the short request."""

    def flat(text: str) -> str:
        text = _NESTED_POINTER.sub("", _DELIVERY_TYPE.sub("/delivery", text))
        return _WEBHOOK_URL.sub("/webhook_url", text) if has_webhook_url else text

    refusal.detail = flat(refusal.detail)
    refusal.errors = tuple(replace(error, path=flat(error.path)) for error in refusal.errors)


for _path, _model, _summary in (
    ("pdf/from-html", "PdfFromHtml", "Make a PDF of HTML"),
    ("pdf/from-url", "PdfFromUrl", "Make a PDF of a page of the web"),
    ("pdf/from-template", "PdfFromTemplate", "Make a PDF of a template"),
    ("images/from-html", "ImageFromHtml", "Make a picture of HTML"),
    ("images/from-url", "ImageFromUrl", "Make a picture of a page of the web"),
    ("images/from-template", "ImageFromTemplate", "Make a picture of a template"),
):
    _add_route(_path, _model, _summary)
