"""Submission of a render: accept it, run or queue it, and build the response."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from copy import replace
from typing import TYPE_CHECKING, Any, Final

import msgspec

from chalicelib.adapters.json_logs import bind
from chalicelib.api.edge.auth import KeyAuth
from chalicelib.api.edge.endpoint import JSON, Call, Reply
from chalicelib.api.edge.paging import encoded_size
from chalicelib.api.render._render_command import render_command
from chalicelib.core import json
from chalicelib.core.errors import Conflict, FieldError, ServiceError
from chalicelib.core.json import Json
from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.create import AcceptedRender
from chalicelib.features.renders.file_keys import answer_key
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.run.run_now import SyncResult, WaitingCaller

if TYPE_CHECKING:
    from chalicelib.contract.render.request import RenderRequest

type Headers = Mapping[str, str]

_RENDER: Final = "chalicelib.contract.render.render:Render"
REDIRECT: Final = "chalicelib.contract.render.render:FileRedirect"
# A Lambda response has 6 MB, with the body as JSON text in it; the rest is for the envelope.
_MAX_RESPONSE_BYTES: Final = 6_000_000
_NO_LOGS: Final = ("There was no room for what the page wrote to its console.",)
# Fields of Endpoint that all endpoints that make a render have in common.
ENDPOINT_FIELDS: Final[Mapping[str, Any]] = {
    "auth": KeyAuth("render:write"),
    "tag": "Renders",
    "answers": {200: _RENDER, 202: _RENDER, 303: REDIRECT},
    "answer_types": (
        JSON,
        "application/pdf",
        "image/png",
        "image/jpeg",
        "image/webp",
        "application/xml",
        "application/zip",
        "text/html",
    ),
    "problems": (
        "plan_feature_unavailable",
        "einvoice_invalid",
        "einvoice_validation_failed",
        "pdfa_conversion_failed",
        "pdfua_validation_failed",
        "test_key_required",
        "template_not_allowed_for_key",
        "email_not_verified",
        "region_not_enabled",
        "render_limit_reached",
        "concurrency_limited",
        "template_not_found",
        "template_deleted",
        "version_not_found",
        "conflict",
        "render_timeout",
        "upload_not_found",
        "template_syntax_error",
        "template_runtime_error",
        "template_fuel_exhausted",
        "data_schema_mismatch",
        "data_invalid",
        "scene_invalid",
        "data_url_fetch_failed",
        "url_not_allowed",
        "asset_fetch_failed",
        "attachment_failed",
        "wait_timeout",
        "navigation_failed",
        "page_limit_exceeded",
        "output_too_large",
        "render_failed",
        "render_lost",
        "email_needs_hosted_file",
        "region_degraded",
        "maintenance",
        "file_expired",
    ),
    "idempotent": True,
    "counts_rate_itself": True,
}


def submit_render(call: Call, request: "RenderRequest") -> Reply:
    """Accept the render of a request, run or queue it, and build the response."""
    return submit_command(call, render_command(call, request))


def submit_command(call: Call, command: RenderCommand) -> Reply:
    """Accept the render of a command, run or queue it, and build the response."""
    accepted = call.services.renders.create(command, call.record_rate)
    bind(render=accepted.render.id)
    if accepted.repeat is not None:
        return _replay_reply(call, accepted)
    if command.mode == "async":
        call.services.renders.enqueue.send(accepted.render)
        return _unfinished_reply(call, accepted.render, {})
    waiting = WaitingCaller(
        deadline=call.deadline,
        cancel_on_timeout=command.delivery_policy.cancel_on_timeout,
        idempotency=command.idempotency,
    )
    return _reply(call, call.services.renders.run_now(accepted.render, accepted.job, waiting), {})


def _replay_reply(call: Call, accepted: AcceptedRender) -> Reply:
    assert accepted.repeat is not None
    render, first = accepted.render, accepted.repeat.accepted
    headers = {"Idempotent-Replayed": "true"}
    if first is None:
        return _reply(call, SyncResult(render), headers)
    if render.status == "queued" and render.body_key is not None:
        # The first request may have died before it could queue the render. A second message of the
        # same render is harmless (decision 5).
        call.services.renders.enqueue.send(render)
    body = call.services.renders.present.as_accepted(render, first)
    return Reply(202, body, headers={**headers, **_location_header(call, render)})


def _unfinished_reply(call: Call, render: Render, headers: Headers) -> Reply:
    body = call.services.renders.present(render)
    return Reply(202, body, headers={**headers, **_location_header(call, render)})


def _reply(call: Call, result: SyncResult, headers: Headers) -> Reply:
    render = result.render
    if not render.is_final:
        return _unfinished_reply(call, render, headers)
    if render.error is not None:
        raise render_error(render, headers)
    if render.status == "canceled":
        detail = "The render was canceled by another request."
        raise Conflict("conflict", detail, headers=headers, render_id=render.id)
    return delivery_reply(call, result, headers)


def render_error(render: Render, headers: Headers) -> ServiceError:
    """Return the error of a failed render."""
    members = dict(render.error or {})
    code, message = str(members.pop("code")), str(members.pop("message"))
    entries = msgspec.convert(members.pop("errors", None) or (), list[dict[str, str]])
    if render.result is not None:
        members["result"] = render.result
    errors = [FieldError(**entry) for entry in entries]
    return ServiceError(
        code, message, errors=errors, headers=headers, render_id=render.id, **members
    )


def _location_header(call: Call, render: Render) -> Headers:
    return {"Location": f"{call.services.settings.base_url}/renders/{render.id}"}


def delivery_reply(call: Call, result: SyncResult, headers: Mapping[str, str]) -> Reply:
    """Return a succeeded render in the form of its delivery: with or without files, or its file.

    A render without any file is answered by itself.
    A repeat of a request with zero retention gets the render without its files, which were never
    stored (decision 17).
    """
    render = result.render
    is_file_kept = not (render.zero_retention and result.contents is None)
    if render.returns_file and render.file_formats and is_file_kept:
        return _file_reply(call, result, {**headers, **_render_headers(render)})
    body = call.services.renders.present(render, with_urls=render.delivery == "url")
    return Reply(200, body, headers=headers)


def _render_headers(render: Render) -> Headers:
    """Return what a client learns of a render that answers as a file."""
    pages = render.page_count
    return {
        "X-Render-Id": render.id,
        "X-Billed-Renders": str(int(render.billed)),
        **({} if pages is None else {"X-Pages": str(pages)}),
    }


def _file_reply(call: Call, result: SyncResult, headers: Headers) -> Reply:
    render = result.render
    contents = result.contents
    if contents is None:
        if not render.files or render.files_purged_at is not None:
            raise file_expired_error()
        if sum(file.bytes for file in render.files) > MAX_RETURNED_BYTES:
            return _redirect_reply(call, render, headers)
        contents = _stored_contents(call, render)
    if render.delivery == "base64":
        return Reply(200, _body_with_contents(call, render, contents), headers=headers)
    (file,) = render.files
    file_headers = {**headers, "Content-Disposition": file.disposition}
    return Reply(200, contents[0], file.content_type, file_headers, is_base64=True)


def _stored_contents(call: Call, render: Render) -> tuple[str, ...]:
    """Return the files in base64; raises `file_expired`."""
    contents = [call.services.state.objects.get(file.key) for file in render.files]
    if None in contents:
        raise file_expired_error()
    return tuple(base64.b64encode(each or b"").decode() for each in contents)


def _body_with_contents(call: Call, render: Render, contents: Sequence[str]) -> dict[str, Json]:
    """Return the render with its files, without console and explanation where they do not fit."""
    room = _MAX_RESPONSE_BYTES - sum(map(len, contents))
    if encoded_size(call.services.renders.present(render, with_urls=False)) > room:
        render = replace(render, logs=_NO_LOGS, explain=None)
    return call.services.renders.present.with_contents(render, contents)


def _redirect_reply(call: Call, render: Render, headers: Headers) -> Reply:
    """Return the address of what does not fit into an answer, also for who reads no header.

    The bytes are those of the body at the address.
    """
    urls = call.services.files.signed_urls
    if render.delivery == "base64":
        content = json.dumps(
            call.services.renders.present.with_contents(render, _stored_contents(call, render))
        ).encode()
        key, size, content_type = answer_key(render), len(content), JSON
        digest = hashlib.sha256(content).digest()
        call.services.state.objects.put(key, content, content_type=JSON, sha256=digest)
        now = call.services.state.renders.get(render.workspace_id, render.id)
        if now is None or now.files_purged_at is not None:
            # They were deleted meanwhile, and so was what this answer had then.
            call.services.state.objects.delete(key)
            raise file_expired_error()
        location = urls.presigned_object_url(key, JSON, "inline")
    else:
        (file,) = render.files
        size, content_type, location = file.bytes, file.content_type, urls.presigned_url(file)
    return file_redirect(
        location,
        size,
        content_type,
        "Follow the redirect (GET, within a minute, without the API key), or ask for delivery url.",
        headers,
    )


def file_redirect(
    location: str, size: int, content_type: str, advice: str, headers: Headers
) -> Reply:
    """Return the address of a file in place of the file."""
    body = {
        "object": "redirect",
        "location": location,
        "bytes": size,
        "content_type": content_type,
        "detail": "This is not the file: it does not fit into an answer of this service, which has "
        f"at most {MAX_RETURNED_BYTES} bytes. {advice}",
    }
    return Reply(303, body, headers={**headers, "Location": location})


def file_expired_error() -> ServiceError:
    """Return the error of a render whose files are gone."""
    return ServiceError("file_expired", "The file of this render is no longer kept.")
