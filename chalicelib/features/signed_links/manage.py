"""Management of signed links: create, change and delete them, and sign their URLs."""

import datetime as dt
import secrets
from collections.abc import Sequence
from typing import Final, NamedTuple, TypedDict

import msgspec

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.table import RowValue
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.core.errors import NotFound, ServiceError, validation_error
from chalicelib.core.ids import IdGenerator, LinkId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.signed_links.model import SignedLink
from chalicelib.features.signed_links.referrers import origin
from chalicelib.features.signed_links.repository import LinkPage, SignedLinks
from chalicelib.features.signed_links.signature import signature
from chalicelib.features.signed_links.url_data import flatten, query_text
from chalicelib.features.templates.allowed_includes import check_includes
from chalicelib.features.templates.options import refuse_uploads
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.templates.sources import VersionChoice
from chalicelib.features.workspaces.model import Mode

# A link is one row; more belongs into the template's own options.
MAX_OUTPUT_BYTES: Final = 100_000
# What CDNs and browsers take.
MAX_URL_CHARS: Final = 8_000
_SECRET_BYTES: Final = 32
_DEFAULT_EXPIRY_S: Final = 3_600


class LinkFields(TypedDict, total=False):
    """Fields of a request that makes or changes a link."""

    name: str
    version: VersionChoice
    output: JsonObject
    allowed_referrers: Sequence[str]
    expires_at: dt.datetime | None
    quota_total: int | None
    enabled: bool


class LinkWithSecret(NamedTuple):
    """New link and its secret, which is shown once."""

    link: SignedLink
    secret: str


class WantedUrl(NamedTuple):
    """URL to be signed; it ends at a Unix second, else in `expires_in_s` seconds or an hour."""

    name: str
    format: str
    params: JsonObject
    expires_at: int | None = None
    expires_in_s: int | None = None


class LinkViewer(NamedTuple):
    """Key that manages links: its workspace and mode, and its templates, if it may use some only.

    `may_use_drafts`: its links may make drafts.
    """

    workspace_id: WorkspaceId
    mode: Mode
    templates: Sequence[str]
    may_use_drafts: bool


class ManageLinks(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use cases of a workspace's links; a link that the viewer may not see is not found.

    URLs begin with `files_host`.
    """

    links: SignedLinks
    templates: ReadTemplates
    sealer: SecretSealer
    files_host: str
    clock: Clock
    ids: IdGenerator

    def create(self, viewer: LinkViewer, template_id: str, fields: LinkFields) -> LinkWithSecret:
        """Create a link of a template; `fields` are all of those of the request.

        Raises `template_not_allowed_for_key`, `template_not_found`, `template_deleted`,
        `version_not_found`, `test_key_required` and `validation_error`.
        """
        self._check(viewer, template_id, fields)
        now = self.clock.now()
        at = format_rfc3339(now)
        secret = secrets.token_urlsafe(_SECRET_BYTES)
        expires_at = fields["expires_at"]
        link = SignedLink(
            id=LinkId(self.ids.new("lnk", now)),
            workspace_id=viewer.workspace_id,
            mode=viewer.mode,
            name=fields["name"],
            template_id=template_id,
            version=fields["version"],
            output=fields["output"],
            allowed_referrers=_origins(fields["allowed_referrers"]),
            expires_at=None if expires_at is None else format_rfc3339(expires_at),
            quota_total=fields["quota_total"],
            enabled=fields["enabled"],
            sealed_secret="",
            created_at=at,
            updated_at=at,
        )
        link = link._replace(sealed_secret=self.sealer.seal(secret, link.secret_place))
        self.links.create(link)
        return LinkWithSecret(link, secret)

    def one(self, viewer: LinkViewer, link_id: str) -> SignedLink:
        """Return a link; raises `not_found`."""
        link = self.links.find(link_id)
        is_own = link is not None and link.workspace_id == viewer.workspace_id
        if link is None or not is_own or not link.is_visible_to(viewer.mode, viewer.templates):
            raise _not_found(link_id)
        return link

    def with_secret(self, link: SignedLink) -> LinkWithSecret:
        """Return a link with its secret, for a caller whose first answer was lost."""
        return LinkWithSecret(
            link, self.sealer.open(link.sealed_secret, link.secret_place).decode()
        )

    def page(self, viewer: LinkViewer, *, limit: int, below: str) -> LinkPage:
        """Return up to `limit` links below an id, newest first."""
        page = self.links.page(viewer.workspace_id, limit=limit, below=below)
        visible = [link for link in page.links if link.is_visible_to(viewer.mode, viewer.templates)]
        return page._replace(links=visible)

    def change(self, viewer: LinkViewer, link: SignedLink, fields: LinkFields) -> SignedLink:
        """Change fields of a link; raises as `create`, and `not_found`.

        Its made files stay as they are.
        """
        self._check(viewer, link.template_id, fields)
        changed = self.links.change(
            link, _attributes(fields) | {"updated_at": format_rfc3339(self.clock.now())}
        )
        if changed is None:
            raise _not_found(link.id)
        return changed

    def delete(self, link: SignedLink) -> None:
        """Delete a link; raises `not_found`. Its URLs, also those already made, end at once."""
        if not self.links.delete(link, format_rfc3339(self.clock.now())):
            raise _not_found(link.id)

    def sign(self, link: SignedLink, wanted: WantedUrl) -> str:
        """Return a signed URL of a link; raises `validation_error`."""
        now = int(self.clock.now().timestamp())
        exp = wanted.expires_at
        if exp is None:
            exp = now + (wanted.expires_in_s or _DEFAULT_EXPIRY_S)
        if exp <= now:
            raise validation_error("/expires_at", "must be in the future", "out_of_range")
        query = query_text([*flatten(wanted.params), ("exp", str(exp))])
        name = query_text([(wanted.name, "")]).removesuffix("=")
        target = f"/l/{link.id}/{name}.{wanted.format}?{query}"
        secret = self.sealer.open(link.sealed_secret, link.secret_place)
        url = f"{self.files_host}{target}&sig={signature(secret, target)}"
        if len(url) > MAX_URL_CHARS:
            message = (
                f"gives a URL of {len(url)} characters; at most {MAX_URL_CHARS} work everywhere"
            )
            raise validation_error("/params", message, "too_long")
        return url

    def _check(self, viewer: LinkViewer, template_id: str, fields: LinkFields) -> None:
        if viewer.templates and template_id not in viewer.templates:
            raise _template_refusal()
        self._check_version(viewer, template_id, fields.get("version", "live"))
        output = fields.get("output", {})
        for name in ("format", "formats"):
            if output.get(name) is not None:
                message = "is chosen by the extension of the URL: leave it out"
                raise validation_error(f"/output/{name}", message, "not_allowed")
        refuse_uploads(output, "/output")
        check_includes(output, "/output", viewer.templates)
        if len(json.dumps(output).encode()) > MAX_OUTPUT_BYTES:
            message = f"has more than {MAX_OUTPUT_BYTES} bytes: put it into the template's options"
            raise validation_error("/output", message, "too_long")
        expires_at = fields.get("expires_at")
        if expires_at is not None and expires_at <= self.clock.now():
            raise validation_error("/expires_at", "must be in the future", "out_of_range")
        _origins(fields.get("allowed_referrers", ()))

    def _check_version(self, viewer: LinkViewer, template_id: str, version: VersionChoice) -> None:
        template = self.templates.one(viewer.workspace_id, template_id)
        if version == "draft" and not viewer.may_use_drafts:
            detail = "A live key's link makes published versions; a test key may name a draft."
            raise ServiceError("test_key_required", detail)
        if isinstance(version, int):
            self.templates.version(template, version)


def _attributes(fields: LinkFields) -> dict[str, RowValue]:
    """Return fields as the row has them."""
    stored: dict[str, RowValue] = {
        name: value
        for name, value in fields.items()
        if isinstance(value, str | int) or value is None
    }
    if "output" in fields:
        stored["output"] = json.dumps(fields["output"])
    if "allowed_referrers" in fields:
        stored["allowed_referrers"] = _origins(fields["allowed_referrers"])
    expires_at = fields.get("expires_at")
    if expires_at is not None:
        stored["expires_at"] = format_rfc3339(expires_at)
    return stored


def _origins(texts: Sequence[str]) -> list[str]:
    """Return origins in their only spelling; raises `validation_error`."""
    origins: list[str] = []
    for n, text in enumerate(texts):
        found = origin(text)
        if found is None:
            message = "must be an origin such as https://www.example.com, without a path"
            raise validation_error(f"/allowed_referrers/{n}", message, "wrong_format")
        origins.append(found)
    return list(dict.fromkeys(origins))


def _template_refusal() -> ServiceError:
    detail = "This key may use the templates of its allowlist only, and this is none of them."
    return ServiceError("template_not_allowed_for_key", detail)


def _not_found(link_id: str) -> NotFound:
    return NotFound("not_found", f"There is no signed link {link_id[:64]}.")
