"""`/v1/renders`: make documents and read about them."""

from typing import TYPE_CHECKING, cast

from chalicelib.adapters.json_logs import bind
from chalicelib.api._render_command import render_command
from chalicelib.api._submit import ENDPOINT_FIELDS, submit_render
from chalicelib.api._template_request import dry_run_deadline
from chalicelib.api.edge import paging
from chalicelib.api.edge.endpoint import Call, Reply, endpoint
from chalicelib.core.errors import ServiceError
from chalicelib.features.previews.preflight import refusal_report
from chalicelib.features.renders.read import RenderFilter

if TYPE_CHECKING:
    from chalicelib.contract.render.request import RenderRequest

_RENDER = "chalicelib.contract.render.render:Render"


@endpoint(
    "POST",
    "/v1/renders",
    body="chalicelib.contract.render.request:RenderRequest",
    **ENDPOINT_FIELDS,
)
def create(call: Call) -> Reply:
    """Make a document.

    `sync` answers when the document is ready: the render, or with delivery `binary` or `base64`
    the file itself (a 303 to it where it is larger than an answer may be). `async` answers 202 at
    once.
    """
    return submit_render(call, call.body)


@endpoint(
    "GET",
    "/v1/renders",
    scope="renders:read",
    query="chalicelib.contract.render.request:RenderQuery",
    tag="Renders",
    answers={200: "chalicelib.contract.render.render:RenderList"},
)
def list_renders(call: Call) -> Reply:
    """List renders, newest first.

    A request reads a bounded number of rows: with a rare filter a page may hold fewer than
    `limit` renders while `has_more` is true; so may one whose renders would be more than 4 MB. Test
    keys see test renders only.
    """
    query = call.query
    position = paging.start_position(call)
    page = call.services.read_renders.page(
        call.caller.workspace_id,
        call.caller.mode,
        RenderFilter(query.model_dump(), query.created_after, query.created_before),
        limit=query.limit,
        after=position["after"] if position else None,
    )
    shown = [call.services.present_render(render) for render in page.renders]
    fitting = paging.fitting_prefix(shown)
    after = page.next_after if len(fitting) == len(shown) else fitting[-1]["id"]
    return Reply(200, paging.list_envelope(call, fitting, {"after": after} if after else None))


@endpoint(
    "GET",
    "/v1/renders/{id}",
    scope="renders:read",
    tag="Renders",
    answers={200: _RENDER},
    problems=("render_not_found",),
)
def retrieve(call: Call) -> Reply:
    """Retrieve a render, with fresh file addresses."""
    render = call.services.read_renders.one(
        call.caller.workspace_id, call.params["id"], call.caller.mode
    )
    bind(render=render.id)
    return Reply(200, call.services.present_render(render))


@endpoint(
    "POST",
    "/v1/renders/preflight",
    scope="render:write",
    body="chalicelib.contract.render.request:RenderRequest",
    validates_body_itself=True,
    tag="Renders",
    answers={200: "chalicelib.contract.render.request:Preflight"},
    problems=("concurrency_limited", "region_degraded"),
)
def preflight(call: Call) -> Reply:
    """Check a render request without rendering.

    It takes the body of `POST /v1/renders` and costs nothing. `errors` are what that request would
    be refused for, `warnings` what can be told before the page is seen. Templates are tried, over
    the data of the request or else the template's default dataset, and the data are held against
    the template's schema.
    """
    from chalicelib.contract.validation import read_body  # noqa: PLC0415 -- pydantic is slow to import

    assert call.endpoint.body_model is not None
    try:
        request = read_body(call.endpoint.body_model, call.raw_body, call.json)
        order = render_command(call, cast("RenderRequest", request))
        report = call.services.preflight_render(order, dry_run_deadline(call))
    except ServiceError as refusal:
        report = refusal_report(refusal)
    errors = [error._asdict() for error in report.errors]
    warnings = [warning._asdict() for warning in report.warnings]
    return Reply(200, {"ok": not errors, "errors": errors, "warnings": warnings})


@endpoint(
    "POST",
    "/v1/renders/{id}/cancel",
    scope="render:write",
    tag="Renders",
    answers={200: _RENDER},
    problems=("render_not_found", "conflict"),
)
def cancel(call: Call) -> Reply:
    """Cancel a render that is queued or processing.

    It is `canceled` at once and never billed; what works on it stops within a second, and its place
    in the concurrency is free then. Whoever waits for it is answered 409 `conflict`, and so is this
    request for a render that is final.
    """
    render = call.services.read_renders.one(
        call.caller.workspace_id, call.params["id"], call.caller.mode
    )
    bind(render=render.id)
    canceled = call.services.cancel_render(render.workspace_id, render.id)
    return Reply(200, call.services.present_render(canceled))


@endpoint(
    "DELETE",
    "/v1/renders/{id}/files",
    scope="renders:delete",
    tag="Renders",
    answers={200: _RENDER},
    problems=("render_not_found", "conflict"),
)
def purge(call: Call) -> Reply:
    """Delete the files of a render at once.

    The render stays, with `files` empty and `files_purged_at` set. One that is not final yet is a
    `conflict`.
    """
    render = call.services.read_renders.one(
        call.caller.workspace_id, call.params["id"], call.caller.mode
    )
    bind(render=render.id)
    purged = call.services.purge_files(render, "render.purged")
    return Reply(200, call.services.present_render(purged))
