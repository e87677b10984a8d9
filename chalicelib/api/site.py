"""`/`, `/docs`, `/guides`, `/console`, `/errors`: pages for people, or JSON; what they load."""

from collections.abc import Callable, Mapping
from functools import partial
from http import HTTPStatus
from typing import Final

from chalice.app import Blueprint

from chalicelib.api.edge.auth import PUBLIC
from chalicelib.api.edge.endpoint import JSON, Call, Reply, endpoint
from chalicelib.api.pages.assets import assets
from chalicelib.api.pages.console import (
    ASSETS,
    MAIL,
    MAIL_POLICY,
    console,
    console_policy,
    mail_page,
)
from chalicelib.api.pages.content import Content, content_of, content_reply
from chalicelib.api.pages.error_pages import error_index_page, error_page
from chalicelib.api.pages.guides import HOME, Guides, base_path_of, guides
from chalicelib.api.pages.home_page import home_page
from chalicelib.api.pages.html_page import HTML_TYPE, INLINE_STYLES_POLICY, POLICY, Site
from chalicelib.api.pages.negotiation import prefers_html
from chalicelib.api.pages.reference_page import reference_page
from chalicelib.core import json
from chalicelib.core.errors import NotFound
from chalicelib.core.problems import PROBLEMS, Problem
from chalicelib.core.version import VERSION

blueprint: Final = Blueprint(__name__)

# Pages change with a deployment only, and name their scripts by content.
_CACHED: Final = "public, max-age=300"
# A page whose scripts are gone after a deployment would be empty.
_REVALIDATED: Final = "no-cache"
_IMMUTABLE: Final = "public, max-age=31536000, immutable"
_PAGE_TYPES: Final = (HTML_TYPE, JSON)
_BY_ACCEPT: Final = {"Vary": "Accept"}


@blueprint.route("/", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answers={200: "chalicelib.contract.meta:ServiceInfo"},
    answer_types=_PAGE_TYPES,
    cache_control=_CACHED,
)
def retrieve_service(call: Call) -> Reply:
    """Tell what this service is, and where its description is.

    A page for people, where `Accept` asks for one; else JSON.
    """
    if prefers_html(call.headers.get("accept", ""), otherwise=False):
        return _page_reply(call, home_page, _BY_ACCEPT)
    host = call.services.api_host
    links = {
        "docs_url": f"{host}/docs",
        "guides_url": f"{host}/guides",
        "console_url": f"{host}/console",
        "errors_url": f"{host}/errors",
        "openapi_url": f"{host}/v1/openapi.json",
        "health_url": f"{host}/healthz",
    }
    return _json_reply(call, {"object": "service", "name": "Platen", "version": VERSION, **links})


@blueprint.route("/docs", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answer_types=(HTML_TYPE,),
    cache_control=_CACHED,
)
def show_docs(call: Call) -> Reply:
    """Show the reference of this API to people."""
    return _page_reply(call, reference_page, policy=INLINE_STYLES_POLICY)


@blueprint.route("/guides", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answer_types=(HTML_TYPE,),
    cache_control=_CACHED,
)
def show_guides(call: Call) -> Reply:
    """Show the first page of the guides."""
    return _guide_reply(call, _guides(call), HOME)


@blueprint.route("/guides/{path+}", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answer_types=(HTML_TYPE,),
    problems=("not_found",),
    cache_control=_CACHED,
    takes_last_slash=True,
)
def show_guide(call: Call) -> Reply:
    """Show a page of the guides, or return a file that the pages load."""
    site, path = _guides(call), call.params["path"]
    page = site.page_of(path)
    if page is not None:
        location = base_path_of(call.services.api_host) + page
        return Reply(HTTPStatus.PERMANENT_REDIRECT, headers={"Location": location})
    return _guide_reply(call, site, path)


@blueprint.route("/console", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answer_types=(HTML_TYPE,),
    cache_control=_REVALIDATED,
    takes_raw_query=True,
)
def show_console(call: Call) -> Reply:
    """Show the console."""
    return _console_reply(call)


@blueprint.route("/console/{path+}", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answer_types=(HTML_TYPE,),
    problems=("not_found",),
    cache_control=_REVALIDATED,
    takes_last_slash=True,
    takes_raw_query=True,
)
def show_console_view(call: Call) -> Reply:
    """Show the console, which reads its address itself, or return a file that it loads.

    Names of files change with their content.
    """
    path = call.params["path"]
    if path == MAIL:
        return content_reply(mail_page(), call.headers, {"Content-Security-Policy": MAIL_POLICY})
    if not path.startswith(ASSETS):
        return _console_reply(call)
    host = call.services.api_host
    content = console(call.services.console_dir, base_path_of(host)).find(path)
    if content is None:
        raise NotFound("not_found", "There is no file of this name.")
    return content_reply(content, call.headers, {"Cache-Control": _IMMUTABLE})


@blueprint.route("/errors", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    answers={200: "chalicelib.contract.meta:ErrorCodeList"},
    has_etag=True,
    answer_types=_PAGE_TYPES,
    cache_control=_CACHED,
)
def list_error_codes(call: Call) -> Reply:
    """List all error codes.

    A page for people, where `Accept` asks for one; else JSON.
    """
    if prefers_html(call.headers.get("accept", ""), otherwise=False):
        return _page_reply(call, error_index_page, _BY_ACCEPT)
    data = [_published_row(problem) for problem in PROBLEMS.values()]
    return _json_reply(
        call, {"object": "list", "data": data, "has_more": False, "next_cursor": None}
    )


@blueprint.route("/errors/{code}", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    answers={200: "chalicelib.contract.meta:ErrorCode"},
    has_etag=True,
    answer_types=_PAGE_TYPES,
    problems=("not_found",),
    cache_control=_CACHED,
)
def retrieve_error_code(call: Call) -> Reply:
    """Explain an error code.

    What it means and what to do about it: a page for people, or JSON where `Accept` asks for it.
    """
    problem = PROBLEMS.get(call.params["code"])
    if problem is None:
        raise NotFound("not_found", "There is no error code of this name.")
    if prefers_html(call.headers.get("accept", ""), otherwise=True):
        return _page_reply(call, partial(error_page, problem), _BY_ACCEPT)
    return _json_reply(call, _published_row(problem))


@blueprint.route("/assets/{version}/{name}", methods=["GET"])
@endpoint(
    auth=PUBLIC,
    tag="Service",
    is_published=False,
    answer_types=("text/css", "text/javascript", "image/svg+xml"),
    problems=("not_found",),
)
def retrieve_asset(call: Call) -> Reply:
    """Return a script or a style of the pages.

    The address changes with the content. One of another deployment gives the current content,
    which is not kept.
    """
    files = assets(call.services.pages_dir)
    content = files.find(call.params["name"])
    if content is None:
        raise NotFound("not_found", "There is no file of this name.")
    is_current = call.params["version"] == files.version
    return content_reply(
        content, call.headers, {"Cache-Control": _IMMUTABLE if is_current else "no-cache"}
    )


def _page_reply(
    call: Call,
    page: Callable[[Site], Content],
    headers: Mapping[str, str] | None = None,
    policy: str = POLICY,
) -> Reply:
    site = Site(call.services.api_host, assets(call.services.pages_dir))
    sent = {"Content-Security-Policy": policy, **(headers or {})}
    return content_reply(page(site), call.headers, sent)


def _guides(call: Call) -> Guides:
    return guides(call.services.guides_dir, base_path_of(call.services.api_host))


def _guide_reply(call: Call, site: Guides, path: str) -> Reply:
    sent = {"Content-Security-Policy": POLICY}
    content = site.find(path)
    if content is not None:
        return content_reply(content, call.headers, sent)
    if not prefers_html(call.headers.get("accept", ""), otherwise=True):
        raise NotFound("not_found", "There is no guide at this address.")
    unknown = site.unknown
    headers = {**sent, **_BY_ACCEPT}
    return Reply(HTTPStatus.NOT_FOUND, unknown.plain, unknown.content_type, headers)


def _console_reply(call: Call) -> Reply:
    services = call.services
    sent = {
        "Content-Security-Policy": console_policy(services.file_hosts),
        "Referrer-Policy": "no-referrer",
        # A page that opens the console in a window could lead it to `#key=` of its own, where the
        # reader's drafts would go to another workspace.
        "Cross-Origin-Opener-Policy": "same-origin",
    }
    page = console(services.console_dir, base_path_of(services.api_host)).page
    return content_reply(page, call.headers, sent)


def _published_row(problem: Problem) -> dict[str, object]:
    """Return the row of a code without its owner, which is a name of this code base."""
    row = problem._asdict()
    del row["owner"]
    return row


def _json_reply(call: Call, body: Mapping[str, object]) -> Reply:
    return content_reply(content_of(json.dumps(body).encode(), JSON), call.headers, _BY_ACCEPT)
