"""Answer to a link's URL: its checks, in a fixed order, then the file of its render."""

from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.json_logs import bind
from chalicelib.core.clock import Clock, parse_rfc3339
from chalicelib.core.errors import Forbidden, NotFound, ServiceError
from chalicelib.features.renders.model import Render
from chalicelib.features.signed_links.make_once import MakeOnce, UrlRender, WantedFile
from chalicelib.features.signed_links.model import LinkUrl, SignedLink
from chalicelib.features.signed_links.referrers import is_referrer_allowed
from chalicelib.features.signed_links.repository import SignedLinks
from chalicelib.features.signed_links.signature import read_target
from chalicelib.features.signed_links.url_data import LinkQuery, read_query
from chalicelib.features.workspaces.model import require_active
from chalicelib.features.workspaces.repository import Workspaces

# By the extension of a URL.
FORMATS: Final = {"pdf": "pdf", "png": "png", "jpeg": "jpeg", "jpg": "jpeg", "webp": "webp"}
MAX_AGE_S: Final = 86_400
# All who have the address get the answer; these say nothing of a template or its data.
_ABOUT_THE_LINK: Final = frozenset(
    {"not_found", "quota_exceeded", "rate_limited", "concurrency_limited", "region_degraded"}
)
_FAILED: Final = "The file cannot be made. The owner of the link finds the reason in the render."
_EXPIRED: Final = (
    "The address or its link is past its time: POST /v1/signed-links/{id}/sign gives a new "
    "address, and a later `expires_at` keeps the link."
)
_REFUSED: Final = (
    "The file cannot be made. The owner of the link finds the reason by rendering the template "
    "with the same data."
)


class LinkRequest(NamedTuple):
    """Request of a link's URL; path and query are as they were sent.

    `deadline` is the Unix second by which it must be answered.
    """

    link_id: str
    filename: str
    path: str
    query: str
    referrer: str | None
    request_id: str
    deadline: float


class LinkAnswer(NamedTuple):
    """Render of a URL, None if there is none, and how long its file may be kept."""

    made: UrlRender | None
    max_age_s: int


class _CheckedRequest(NamedTuple):
    wanted: WantedFile
    url: LinkUrl
    max_age_s: int


class ServeLink(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Server of links' URLs."""

    links: SignedLinks
    sealer: SecretSealer
    workspaces: Workspaces
    make_once: MakeOnce
    clock: Clock

    def __call__(self, request: LinkRequest) -> LinkAnswer:
        """Return the render of a URL, made before or now.

        Raises, in this order, `not_found`, `invalid_signature`, `validation_error` for a query with
        more than one meaning, `link_expired`, `referrer_not_allowed`, the codes of
        `require_active`, and those of MakeOnce, whose details say nothing of template and data.
        """
        wanted, url, max_age_s = self._check(request)
        try:
            made = self.make_once(wanted, url)
        except ServiceError as refused:
            if refused.code in _ABOUT_THE_LINK:
                raise
            raise ServiceError(refused.code, _REFUSED, headers=refused.headers) from refused
        return LinkAnswer(made, max_age_s)

    def look(self, request: LinkRequest) -> LinkAnswer:
        """Return the render of a URL if its file is there, and make none; raises the same refusals.

        The content is left out.
        """
        wanted, url, max_age_s = self._check(request)
        return LinkAnswer(self.make_once.made_before(wanted, url), max_age_s)

    def _check(self, request: LinkRequest) -> _CheckedRequest:
        """Return the checked request; raises all refusals but those of MakeOnce."""
        _, dot, extension = request.filename.rpartition(".")
        if not dot or extension not in FORMATS:
            raise NotFound("not_found", f"A signed link ends in one of {', '.join(FORMATS)}.")
        target = read_target(request.path, request.query)
        found = self.links.find_with_url(request.link_id, target.digest)
        if found is None or not found[0].enabled:
            raise _no_link()
        link, url = found
        bind(workspace=link.workspace_id, link=link.id)
        secret = self.sealer.open(link.sealed_secret, link.secret_place)
        if not target.is_signed_with(secret):
            detail = "The address is altered, or its signature is not at its end."
            raise Forbidden("invalid_signature", detail)
        query = read_query(target.query)
        max_age_s = self._max_age_s(link, query)
        if not is_referrer_allowed(link.allowed_referrers, request.referrer):
            raise Forbidden("referrer_not_allowed", "This page may not embed the link.")
        workspace = self.workspaces.get(link.workspace_id)
        if workspace is None:
            raise _no_link()
        require_active(workspace)
        wanted = WantedFile(
            link, workspace, FORMATS[extension], query.data, request.request_id, request.deadline
        )
        return _CheckedRequest(wanted, url, max_age_s)

    def _max_age_s(self, link: SignedLink, query: LinkQuery) -> int:
        """Return how long an answer may be kept; raises `link_expired`."""
        ends = [] if query.exp is None else [float(query.exp)]
        if link.expires_at is not None:
            ends.append(parse_rfc3339(link.expires_at).timestamp())
        now = self.clock.now().timestamp()
        left_s = min((end - now for end in ends), default=float(MAX_AGE_S))
        if left_s <= 0:
            raise ServiceError("link_expired", _EXPIRED)
        return min(int(left_s), MAX_AGE_S)


def failure_for_anyone(render: Render) -> ServiceError:
    """Return the error of a failed render, without texts that may quote template or data."""
    assert render.error is not None, render.id
    return ServiceError(str(render.error["code"]), _FAILED, render_id=render.id)


def _no_link() -> NotFound:
    return NotFound("not_found", "There is no such link, or it is off.")
