"""`/forms/…`, `/health` and `/version` as Gotenberg 8 documents them, with a key of Platen."""

from collections.abc import Callable, Mapping
from copy import replace
from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.auth import PUBLIC, KeyAuth
from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.edge.request_body import MULTIPART_TYPE
from chalicelib.api.gotenberg._fields import IMAGE_FIELDS, MERGE_FIELDS, PDF_FIELDS, RequestField
from chalicelib.api.gotenberg._form import GotenbergForm
from chalicelib.api.gotenberg._translate import (
    Body,
    html_source,
    image_body,
    in_form_terms,
    markdown_source,
    merge_body,
    pdf_body,
    set_field,
    url_source,
)
from chalicelib.api.meta import check_outcomes
from chalicelib.api.render._render_command import pdf_tool_command, render_command
from chalicelib.api.render._submit import ENDPOINT_FIELDS, submit_command
from chalicelib.core import json
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.errors import ServiceError, validation_error
from chalicelib.core.version import VERSION

blueprint: Final = Blueprint(__name__)

_TRACE: Final = "gotenberg-trace"
_FILENAME: Final = "gotenberg-output-filename"
_WEBHOOK: Final = "gotenberg-webhook-"
_TEXT: Final = "text/plain; charset=utf-8"

type Translate = Callable[[GotenbergForm], Body]


def _add_route(
    path: str, summary: str, translate: Translate, fields: Mapping[str, RequestField]
) -> None:
    def view(call: Call) -> Reply:
        try:
            reply = _convert(call, translate)
        except ServiceError as refusal:
            in_form_terms(refusal, fields)
            raise
        trace = call.headers.get(_TRACE) or call.request_id
        return replace(reply, headers={**(reply.headers or {}), "Gotenberg-Trace": trace})

    view.__name__ = "gotenberg_" + path.removeprefix("/forms/").replace("/", "_")
    view.__doc__ = f"{summary}."
    row = {
        **ENDPOINT_FIELDS,
        "auth": KeyAuth("render:write", takes_basic=True),
        "media_types": (MULTIPART_TYPE,),
        "is_published": False,
    }
    blueprint.route(path, methods=["POST"])(endpoint(**row)(view))


def _convert(call: Call, translate: Translate) -> Reply:
    from chalicelib.contract.pdf_tools.requests import MergeRequest  # noqa: PLC0415 -- pydantic is slow
    from chalicelib.contract.render.request import RenderRequest  # noqa: PLC0415
    from chalicelib.contract.validation import read_body  # noqa: PLC0415

    _refuse_webhooks(call)
    form = GotenbergForm(call)
    body = translate(form)
    if name := call.headers.get(_FILENAME):
        set_field(body, "/filename" if "sources" in body else "/output/filename", name)
    # The fingerprint of Idempotency-Key is that of the translated request.
    call.json = body if call.idempotency_key is None else form.with_hashes(body)
    raw = json.dumps(body).encode()
    if "sources" in body:
        request = read_body(MergeRequest, raw, body)
        return submit_command(call, pdf_tool_command(call, "merge", request))
    return submit_command(call, render_command(call, read_body(RenderRequest, raw, body)))


def _refuse_webhooks(call: Call) -> None:
    for name in call.headers:
        if name.startswith(_WEBHOOK):
            raise validation_error(
                f"/headers/{name.title()}",
                "has no counterpart here: POST /v1/renders takes webhook.url, and signs its events",
                "invalid",
            )


def _pdf(source: Translate) -> Translate:
    return lambda form: pdf_body(form, source(form))


def _image(source: Translate) -> Translate:
    return lambda form: image_body(form, source(form))


for _path, _summary, _translate, _fields in (
    ("chromium/convert/html", "Print HTML", _pdf(html_source), PDF_FIELDS),
    ("chromium/convert/url", "Print a page of the web", _pdf(url_source), PDF_FIELDS),
    ("chromium/convert/markdown", "Print Markdown", _pdf(markdown_source), PDF_FIELDS),
    ("chromium/screenshot/html", "Draw HTML", _image(html_source), IMAGE_FIELDS),
    ("chromium/screenshot/url", "Draw a page of the web", _image(url_source), IMAGE_FIELDS),
    ("pdfengines/merge", "Merge PDFs by their names", merge_body, MERGE_FIELDS),
):
    _add_route(f"/forms/{_path}", _summary, _translate, _fields)


@blueprint.route("/health", methods=["GET"])
@endpoint(auth=PUBLIC, tag="Service", is_published=False, answer_types=(JSON,))
def check_gotenberg_health(call: Call) -> Reply:
    """Tell whether the service works, in Gotenberg's form: 503 when a part fails."""
    moment = format_rfc3339(call.services.clock.now())
    details = {
        name: {"status": "down" if outcome == "failing" else "up", "timestamp": moment}
        for name, outcome in check_outcomes(call).items()
    }
    is_up = all(each["status"] == "up" for each in details.values())
    body = {"status": "up" if is_up else "down", "details": details}
    return Reply(200 if is_up else 503, body)


@blueprint.route("/version", methods=["GET"])
@endpoint(auth=PUBLIC, tag="Service", is_published=False, answer_types=("text/plain",))
def show_version(_call: Call) -> Reply:
    """Tell the version of the service, as text."""
    return Reply(200, VERSION, _TEXT)
