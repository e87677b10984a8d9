"""`/v1/signed-links`, and `/l`: URLs that make a picture or a PDF without a key."""

import datetime as dt
from typing import Final, cast
from urllib.parse import unquote

from chalice.app import Blueprint

from chalicelib.api.edge import paging
from chalicelib.api.edge.auth import PUBLIC, KeyAuth
from chalicelib.api.edge.endpoint import NO_STORE, Call, Creation, Reply, endpoint
from chalicelib.api.edge.idempotency import unless_absent
from chalicelib.api.render._submit import REDIRECT, file_expired_error, file_redirect
from chalicelib.core.errors import Conflict, NotFound
from chalicelib.core.ids import IdSeed
from chalicelib.core.text import content_disposition, safe_filename
from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from chalicelib.features.files.model import StoredFile
from chalicelib.features.signed_links.manage import (
    LinkFields,
    LinkViewer,
    LinkWithSecret,
    WantedUrl,
)
from chalicelib.features.signed_links.model import SignedLink
from chalicelib.features.signed_links.present import link_json
from chalicelib.features.signed_links.serve import (
    FORMATS,
    LinkAnswer,
    LinkRequest,
    failure_for_anyone,
)

blueprint: Final = Blueprint(__name__)

_READ: Final = "signed_links:read"
_WRITE: Final = "signed_links:write"
_CONTRACT: Final = "chalicelib.contract.signed_links"
_LINK: Final = f"{_CONTRACT}:SignedLink"
_TEMPLATE_PROBLEMS: Final = (
    "template_not_allowed_for_key",
    "template_not_found",
    "template_deleted",
    "version_not_found",
    "test_key_required",
)


def _made_before(call: Call, seed: IdSeed) -> Reply | None:
    """Return the answer of a link that an earlier attempt of this request has made."""
    manage, link_id = call.services.signed_links.manage, seed.id("lnk")
    link = unless_absent(lambda: manage.one(_viewer(call), link_id))
    return None if link is None else _reply_with_secret(call, manage.with_secret(link))


@blueprint.route("/v1/signed-links", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:SignedLinkRequest",
    creates=Creation(_made_before, has_secret=True),
    tag="Signed links",
    answers={201: f"{_CONTRACT}:SignedLinkWithSecret"},
    problems=_TEMPLATE_PROBLEMS,
)
def create_signed_link(call: Call) -> Reply:
    """Make a signed link.

    The answer has the secret, which is shown this once. Links of test keys make test files.
    """
    given = _given_fields(call)
    fields: LinkFields = {
        "name": call.body.name,
        "version": call.body.version,
        "output": {},
        "allowed_referrers": [],
        "expires_at": call.body.expires_at,
        "quota_total": call.body.quota_total,
        "enabled": call.body.enabled,
        **given,
    }
    manage = call.services.signed_links.manage
    return _reply_with_secret(call, manage.create(_viewer(call), call.body.template_id, fields))


@blueprint.route("/v1/signed-links", methods=["GET"])
@endpoint(
    auth=KeyAuth(_READ),
    query=f"{_CONTRACT}:SignedLinkQuery",
    tag="Signed links",
    answers={200: f"{_CONTRACT}:SignedLinkList"},
)
def list_signed_links(call: Call) -> Reply:
    """List signed links, newest first.

    A test key sees those that were made with test keys, a key with a template allowlist those of
    its templates. A page may hold fewer than `limit` links while `has_more` is true.
    """
    position = paging.start_position(call)
    below = position["after"] if position else "lnk_~"
    manage = call.services.signed_links.manage
    page = manage.page(_viewer(call), limit=call.query.limit, below=below)
    rows = [link_json(link) for link in page.links]
    shown = paging.fitting_prefix(rows) if rows else rows
    last = shown[-1]["id"] if len(shown) < len(rows) else page.next_after
    return Reply(200, paging.list_envelope(call, shown, {"after": last} if last else None))


@blueprint.route("/v1/signed-links/{id}", methods=["GET"])
@endpoint(auth=KeyAuth(_READ), tag="Signed links", answers={200: _LINK}, problems=("not_found",))
def retrieve_signed_link(call: Call) -> Reply:
    """Retrieve a signed link."""
    return Reply(200, link_json(_named_link(call)))


@blueprint.route("/v1/signed-links/{id}", methods=["PATCH"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:SignedLinkChange",
    tag="Signed links",
    answers={200: _LINK},
    problems=("not_found", *_TEMPLATE_PROBLEMS),
)
def update_signed_link(call: Call) -> Reply:
    """Change a signed link.

    Files that URLs have made already stay as they are.
    """
    link, viewer = _named_link(call), _viewer(call)
    changed = call.services.signed_links.manage.change(viewer, link, _given_fields(call))
    return Reply(200, link_json(changed))


@blueprint.route("/v1/signed-links/{id}", methods=["DELETE"])
@endpoint(auth=KeyAuth(_WRITE), tag="Signed links", answers={204: None}, problems=("not_found",))
def delete_signed_link(call: Call) -> Reply:
    """Delete a signed link.

    All its URLs end at once. The renders that it has made stay.
    """
    call.services.signed_links.manage.delete(_named_link(call))
    return Reply(204)


@blueprint.route("/v1/signed-links/{id}/sign", methods=["POST"])
@endpoint(
    auth=KeyAuth(_WRITE),
    body=f"{_CONTRACT}:SignedUrlRequest",
    body_required=False,
    tag="Signed links",
    answers={200: f"{_CONTRACT}:SignedUrl"},
    problems=("not_found",),
)
def sign_url(call: Call) -> Reply:
    """Sign a URL of a link.

    Nothing is made or counted until somebody fetches the URL. With the link's secret you can sign
    URLs yourself.
    """
    body, ends_at = call.body, call.body.expires_at
    if isinstance(ends_at, dt.datetime):
        ends_at = int(ends_at.timestamp())
    wanted = WantedUrl(body.name, body.format, body.params, ends_at, body.expires_in)
    return Reply(200, {"url": call.services.signed_links.manage.sign(_named_link(call), wanted)})


@blueprint.route("/l/{link_id}/{file}", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    takes_raw_query=True,
    allows_any_origin=True,
    tag="Signed links",
    answers={200: None, 303: REDIRECT},
    answer_types=("application/pdf", "image/png", "image/jpeg", "image/webp"),
    problems=(
        "not_found",
        "invalid_signature",
        "link_expired",
        "referrer_not_allowed",
        "workspace_suspended",
        "workspace_deletion_scheduled",
        "quota_exceeded",
    ),
)
def open_signed_link(call: Call) -> Reply:
    """Fetch the file of a signed link, at the host of the files.

    The path ends in `{name}.{ext}`: `ext` is pdf, png, jpeg, jpg or webp, `name` is free. Names of
    the query are paths into the template's data, except `exp`, the Unix second at which the URL
    ends. `&sig=` stands last: the HMAC-SHA256, in lower-case hex, of path and query as they are
    sent before it. The first request makes the file, later ones get the same one while it is kept.
    HEAD makes and counts nothing: it has the length once the file is made. The file is saved under
    its name in the URL. A file that does not fit into an answer is answered with 303 and its
    address. A render that fails is answered with the code of its problem: the reason, which may
    quote the template or its data, stands in the render, for the owner of the link.
    """
    target = call.raw_target
    if target is None:
        raise NotFound("not_found", "Signed links are at the host of the files.")
    request = LinkRequest(
        link_id=call.params["link_id"],
        filename=call.params["file"],
        path=target.path,
        query=target.query,
        referrer=call.headers.get("referer"),
        request_id=call.request_id,
        deadline=call.deadline,
    )
    serve = call.services.signed_links.serve
    if call.method == "HEAD":
        return _head_reply(call, serve.look(request))
    answer = serve(request)
    assert answer.made is not None
    render, file, content = answer.made
    if file is None:
        if render.status == "canceled":
            raise Conflict("conflict", "The render was canceled; ask again to have it made anew.")
        raise file_expired_error() if render.error is None else failure_for_anyone(render)
    if content is None:
        return _redirect(call, file)
    return Reply(200, content, file.content_type, _file_headers(call, answer.max_age_s))


def _head_reply(call: Call, answer: LinkAnswer) -> Reply:
    """Return the headers of the file; before it is made, its length is not known."""
    headers = _file_headers(call, answer.max_age_s)
    file = answer.made.file if answer.made else None
    if file is None:
        kind = FORMATS[call.params["file"].rpartition(".")[2]]
        return Reply(200, b"", "application/pdf" if kind == "pdf" else f"image/{kind}", headers)
    if file.bytes > MAX_RETURNED_BYTES:
        return _redirect(call, file)
    return Reply(200, b"", file.content_type, {**headers, "Content-Length": str(file.bytes)})


def _redirect(call: Call, file: StoredFile) -> Reply:
    location = call.services.files.signed_urls.presigned_object_url(
        file.key, file.content_type, _disposition(call)
    )
    advice = "Follow the redirect, within a minute."
    headers = {"Cache-Control": NO_STORE}
    return file_redirect(location, file.bytes, file.content_type, advice, headers)


def _file_headers(call: Call, max_age_s: int) -> dict[str, str]:
    return {
        "Cache-Control": f"public, max-age={max_age_s}",
        "Content-Disposition": _disposition(call),
    }


def _disposition(call: Call) -> str:
    """Return the disposition under the name in the URL, not under that of the render."""
    # Gateways differ in how they decode a path.
    stem, _, extension = unquote(call.params["file"]).rpartition(".")
    return content_disposition(safe_filename(stem, fallback="file", extension=extension), "inline")


def _reply_with_secret(call: Call, made: LinkWithSecret) -> Reply:
    url = f"{call.services.settings.base_url}/signed-links/{made.link.id}"
    return Reply(201, link_json(made.link) | {"secret": made.secret}, headers={"Location": url})


def _named_link(call: Call) -> SignedLink:
    return call.services.signed_links.manage.one(_viewer(call), call.params["id"])


def _viewer(call: Call) -> LinkViewer:
    caller = call.caller
    may_use_drafts = caller.mode == "test" or caller.workspace.allow_draft_rendering
    return LinkViewer(caller.workspace_id, caller.mode, caller.templates, may_use_drafts)


def _given_fields(call: Call) -> LinkFields:
    """Return the fields that are set; null of options and origins means none of them."""
    body = call.body
    given = {name: getattr(body, name) for name in body.model_fields_set - {"template_id"}}
    if "output" in given:
        output = body.output
        set_options = output and output.model_dump(mode="json", exclude_unset=True)
        given["output"] = set_options or {}
    if "allowed_referrers" in given:
        given["allowed_referrers"] = body.allowed_referrers or []
    return cast("LinkFields", given)
