"""`/v1/renders`: create, list, read, check, cancel and purge renders."""

from typing import TYPE_CHECKING, Final, cast

from chalice.app import Blueprint

from chalicelib.adapters.json_logs import bind
from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.api.render._preflight import PREFLIGHT_FIELDS, preflight_reply
from chalicelib.api.render._render_command import render_command
from chalicelib.api.render._submit import ENDPOINT_FIELDS, submit_render
from chalicelib.features.emails.sends.present import render_email_json
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.read import RenderFilter, Viewer

blueprint: Final = Blueprint(__name__)

if TYPE_CHECKING:
    from chalicelib.contract.render.request import RenderRequest

_RENDER = "chalicelib.contract.render.render:Render"


@blueprint.route("/v1/renders", methods=["POST"])
@endpoint(
    body="chalicelib.contract.render.request:RenderRequest",
    **ENDPOINT_FIELDS,
)
def create_render(call: Call) -> Reply:
    """Make a document.

    `sync` responds when the document is ready: with the render or, for delivery `binary`, with the
    file itself; for `base64` the files of the render have their content. Files of more than
    4 300 000 bytes are answered with 303 and a JSON body (`object: redirect`) that says where they
    are: follow redirects. `async` responds with
    202 at once.
    """
    return submit_render(call, call.body)


@blueprint.route("/v1/renders", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    query="chalicelib.contract.render.request:RenderQuery",
    tag="Renders",
    answers={200: "chalicelib.contract.render.render:RenderList"},
)
def list_renders(call: Call) -> Reply:
    """List renders, newest first.

    A page may hold fewer than `limit` renders while `has_more` is true: with a filter that few
    renders match, or when the page would be larger than 4 MB. Test keys see test renders only. A
    key with a template allowlist sees renders of its templates only; all others are
    `render_not_found` for it, also those of `html` and `url` that it has made itself.
    """
    query = call.query
    position = paging.start_position(call)
    page = call.services.renders.read.page(
        _viewer(call),
        RenderFilter(
            query.model_dump(),
            query.status or (),
            query.metadata or {},
            query.created_after,
            query.created_before,
        ),
        limit=query.limit,
        after=position["after"] if position else None,
    )
    rows = [call.services.renders.present(render) for render in page.renders]
    fitting = paging.fitting_prefix(rows)
    after = page.next_after if len(fitting) == len(rows) else fitting[-1]["id"]
    return Reply(200, paging.list_envelope(call, fitting, {"after": after} if after else None))


@blueprint.route("/v1/renders/{id}", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    tag="Renders",
    answers={200: _RENDER},
    problems=("render_not_found",),
)
def retrieve_render(call: Call) -> Reply:
    """Retrieve a render, with fresh file URLs and its emails."""
    render = _requested_render(call)
    emails = call.services.emails.sends.of_render(render)
    shown = call.services.renders.present(render)
    return Reply(200, {**shown, "email": [render_email_json(send) for send in emails]})


@blueprint.route("/v1/renders/{id}/logs", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    tag="Renders",
    answers={200: "chalicelib.contract.render.log:RenderLog"},
    problems=("render_not_found",),
)
def retrieve_render_log(call: Call) -> Reply:
    """Read the log of a render: its request and result as kept, its attempts and its events.

    With zero retention `request` and `response` are null.
    """
    return Reply(200, call.services.renders.read_log(_requested_render(call)))


@blueprint.route("/v1/renders/{id}/files/{file_id}", methods=["GET"])
@endpoint(
    auth=KeyAuth("renders:read"),
    query="chalicelib.contract.render.log:RenderFileQuery",
    tag="Renders",
    answers={302: None},
    problems=("render_not_found", "not_found", "file_expired"),
)
def retrieve_render_file(call: Call) -> Reply:
    """Redirect to a file of a render.

    `Location` is a fresh signed URL, which is valid as long as those in `files`. Follow it without
    the API key.
    """
    location = call.services.renders.present.file_url(
        _requested_render(call), call.params["file_id"], call.query.disposition
    )
    return Reply(302, headers={"Location": location})


@blueprint.route("/v1/renders/preflight", methods=["POST"])
@endpoint(
    **PREFLIGHT_FIELDS,
    body="chalicelib.contract.render.request:RenderRequest",
    tag="Renders",
)
def preflight_render(call: Call) -> Reply:
    """Check a render request without rendering.

    It takes the body of `POST /v1/renders` and costs nothing. `errors` are the reasons for which
    that request would be refused or its render fail, `warnings` those that are known before the
    page is loaded. A template is tried with the data of the request, or else with its default
    dataset, and the data are validated against its schema. Addresses are looked up, and nothing is
    fetched from them. `invoice` has the totals of an e-invoice, `cost` what the render would take.
    """
    return preflight_reply(
        call, lambda request: render_command(call, cast("RenderRequest", request))
    )


@blueprint.route("/v1/renders/{id}/cancel", methods=["POST"])
@endpoint(
    auth=KeyAuth("render:write"),
    tag="Renders",
    answers={200: _RENDER},
    problems=("render_not_found", "conflict"),
)
def cancel_render(call: Call) -> Reply:
    """Cancel a render that is queued or processing.

    It is `canceled` at once and never billed. A running render stops within a second, and then its
    place in the concurrency limit is free. A request that waits for the render gets 409 `conflict`;
    so does this request if the render is already final.
    """
    render = _requested_render(call)
    canceled = call.services.renders.cancel(render.workspace_id, render.id)
    return Reply(200, call.services.renders.present(canceled))


@blueprint.route("/v1/renders/{id}/files", methods=["DELETE"])
@endpoint(
    auth=KeyAuth("renders:delete"),
    tag="Renders",
    answers={200: _RENDER},
    problems=("render_not_found", "conflict"),
)
def purge_render_files(call: Call) -> Reply:
    """Delete the files of a render at once.

    The render stays, with `files` empty and `files_purged_at` set. A render that is not final yet
    is a `conflict`.
    """
    purged = call.services.renders.purge(_requested_render(call))
    return Reply(200, call.services.renders.present(purged))


def _requested_render(call: Call) -> Render:
    """Return the render of the path; raises `render_not_found`."""
    render = call.services.renders.read.one(_viewer(call), call.params["id"])
    bind(render=render.id)
    return render


def _viewer(call: Call) -> Viewer:
    return Viewer(call.caller.workspace_id, call.caller.mode, call.caller.templates)
