"""`/v1/renders`: make documents and read about them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chalicelib.adapters.json_logs import about
from chalicelib.api import _paging
from chalicelib.api._endpoint import Call, Reply, endpoint
from chalicelib.core import json
from chalicelib.core.crypto import sha256_hex
from chalicelib.core.errors import ServiceError, invalid
from chalicelib.features.renders.create import Accepted, Order
from chalicelib.features.renders.idempotency import IdempotencyKey
from chalicelib.features.renders.model import Body, Render
from chalicelib.features.renders.protocol import MAX_RETURNED_BYTES
from chalicelib.features.renders.read import RenderFilter
from chalicelib.features.renders.run_now import Ran, Waiting

if TYPE_CHECKING:
    from chalicelib.contract.renders import RenderRequest

type Headers = Mapping[str, str]

_RENDER = "chalicelib.contract.render:Render"


@endpoint(
    "POST",
    "/v1/renders",
    scope="render:write",
    body="chalicelib.contract.renders:RenderRequest",
    tag="Renders",
    answers={200: _RENDER, 202: _RENDER, 303: None},
    answer_types=("application/json", "application/pdf", "image/png"),
    problems=(
        "test_key_required",
        "email_not_verified",
        "region_not_enabled",
        "render_limit_reached",
        "concurrency_limited",
        "render_timeout",
        "template_syntax_error",
        "template_runtime_error",
        "template_fuel_exhausted",
        "wait_timeout",
        "navigation_failed",
        "page_limit_exceeded",
        "output_too_large",
        "render_failed",
        "render_lost",
        "region_degraded",
        "file_expired",
    ),
    idempotent=True,
    counts_itself=True,
)
def create(call: Call) -> Reply:
    """Make a document.

    `sync` answers when the document is ready: the render, or with delivery `binary` the file
    itself (a 303 to it where it is larger than an answer may be). `async` answers 202 at once.
    """
    order = _order(call)
    accepted = call.services.create_render(order)
    call.rate = accepted.rate
    about(render=accepted.render.id)
    if accepted.repeat is not None:
        return _repeat(call, accepted)
    if order.mode == "async":
        call.services.enqueue_render.send(accepted.render)
        return _unfinished(call, accepted.render, {})
    ran = call.services.run_now(
        accepted.render,
        order.body,
        Waiting(
            deadline=call.deadline,
            cancel_late=call.body.timeout_behavior == "cancel",
            idempotency=order.idempotency,
        ),
    )
    return _answer(call, ran, {})


@endpoint(
    "GET",
    "/v1/renders",
    scope="renders:read",
    query="chalicelib.contract.renders:RenderQuery",
    tag="Renders",
    answers={200: "chalicelib.contract.render:RenderList"},
)
def list_renders(call: Call) -> Reply:
    """List renders, newest first.

    A request reads a bounded number of rows: with a rare filter a page may hold fewer than
    `limit` renders while `has_more` is true. Test keys see test renders only.
    """
    query = call.query
    position = _paging.position(call)
    page = call.services.read_renders.page(
        call.caller.workspace_id,
        call.caller.mode,
        RenderFilter(query.model_dump(), query.created_after, query.created_before),
        limit=query.limit,
        after=position["after"] if position else None,
    )
    following = {"after": page.next_after} if page.next_after else None
    shown = [call.services.present_render(render) for render in page.renders]
    return Reply(200, _paging.envelope(call, shown, following))


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
    about(render=render.id)
    return Reply(200, call.services.present_render(render))


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
    about(render=render.id)
    purged = call.services.purge_files(render, "render.purged")
    return Reply(200, call.services.present_render(purged))


def _order(call: Call) -> Order:
    request: RenderRequest = call.body
    delivery = request.delivery.type or "url"
    if delivery == "binary" and request.mode == "async":
        raise invalid("/delivery/type", "binary needs mode sync; async files come by url")
    wanted = request.input.model_dump()
    if wanted["type"] == "html" and wanted["templating"] is None:
        wanted["templating"] = request.data is not None or request.data_url is not None
    output = request.output.model_dump(mode="json")
    return Order(
        workspace=call.caller.workspace,
        key_mode=call.caller.mode,
        mode=request.mode,
        body=Body(wanted, request.data, request.data_url, output),
        delivery=delivery,
        expires_in_s=request.delivery.expires_in,
        request_id=call.request_id,
        asks_for_test=request.test,
        reference=request.reference,
        metadata=request.metadata,
        idempotency=_idempotency(call),
        received_bytes=len(call.raw_body),
    )


def _idempotency(call: Call) -> IdempotencyKey | None:
    if call.idempotency_key is None:
        return None
    return IdempotencyKey(
        call.caller.workspace_id,
        call.caller.mode,
        f"{call.endpoint.method} {call.endpoint.path}",
        call.idempotency_key,
        sha256_hex(json.canonical(call.json)),
    )


def _repeat(call: Call, accepted: Accepted) -> Reply:
    assert accepted.repeat is not None
    render, first = accepted.render, accepted.repeat.accepted
    headers = {"Idempotent-Replayed": "true"}
    if first is None:
        return _answer(call, Ran(render), headers)
    if render.status == "queued" and render.body_key is not None:
        # The first request may have died before it could do this.
        call.services.enqueue_render.send(render)
    shown = call.services.present_render.as_accepted(render, first)
    return Reply(202, shown, headers={**headers, **_location(call, render)})


def _unfinished(call: Call, render: Render, headers: Headers) -> Reply:
    shown = call.services.present_render(render)
    return Reply(202, shown, headers={**headers, **_location(call, render)})


def _answer(call: Call, ran: Ran, headers: Headers) -> Reply:
    render = ran.render
    if not render.is_final:
        return _unfinished(call, render, headers)
    if render.error is not None:
        raise _problem(render, headers)
    if render.delivery == "binary":
        return _file(call, ran, headers)
    return Reply(200, call.services.present_render(render), headers=headers)


def _problem(render: Render, headers: Headers) -> ServiceError:
    error = dict(render.error or {})
    code, message = error.pop("code"), error.pop("message")
    return ServiceError(code, message, headers=headers, render_id=render.id, **error)


def _file(call: Call, ran: Ran, headers: Headers) -> Reply:
    if not ran.render.files or ran.render.files_purged_at is not None:
        raise ServiceError("file_expired", "The file of this render is no longer kept.")
    file = ran.render.files[0]
    headers = {**headers, "X-Render-Id": ran.render.id}
    if file.bytes > MAX_RETURNED_BYTES:
        location = call.services.addresses.direct(file)
        return Reply(303, headers={**headers, "Location": location})
    content = ran.content if ran.content is not None else call.services.objects.get(file.key)
    if content is None:
        raise ServiceError("file_expired", "The file of this render is no longer kept.")
    return Reply(
        200,
        content,
        file.content_type,
        {**headers, "Content-Disposition": file.disposition},
    )


def _location(call: Call, render: Render) -> Headers:
    return {"Location": f"{call.services.settings.base_url}/renders/{render.id}"}
