"""Signed link: the output of its URLs, who may embed them, and how many renders it has left."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from chalicelib.adapters.aws.sealing import SealContext
from chalicelib.core.ids import LinkId, RenderId, WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.templates.sources import VersionChoice
from chalicelib.features.workspaces.model import Mode

LINK_SECRET_FIELD: Final = "link_secret"  # noqa: S105 -- a name


class SignedLink(NamedTuple):
    """Link of a workspace; `mode` is that of the key that made it.

    `output` are the options of its files; the URL chooses the format. No `allowed_referrers`: every
    page may embed it. `quota_used` counts its renders, but not those that failed. `deleted_at` is
    set until maintenance has erased it.
    """

    id: LinkId
    workspace_id: WorkspaceId
    mode: Mode
    name: str
    template_id: str
    version: VersionChoice
    output: JsonObject
    allowed_referrers: Sequence[str]
    expires_at: str | None
    quota_total: int | None
    enabled: bool
    sealed_secret: str
    created_at: str
    updated_at: str
    quota_used: int = 0
    deleted_at: str | None = None

    @property
    def secret_place(self) -> SealContext:
        """Return the place in which its secret is sealed."""
        return SealContext(self.workspace_id, self.id, LINK_SECRET_FIELD)

    @property
    def is_used_up(self) -> bool:
        """Tell whether it has no render left."""
        return self.quota_total is not None and self.quota_used >= self.quota_total

    def is_visible_to(self, mode: Mode, templates: Sequence[str]) -> bool:
        """Tell whether a key may see it.

        Test keys see links of test keys, and a key with an allowlist those of its templates.
        """
        is_of_mode = mode == "live" or self.mode == "test"
        return is_of_mode and (not templates or self.template_id in templates)


class LinkUrl(NamedTuple):
    """URL of a link by the digest of its signed text.

    `render_id` is its last render, if any. Until `claimed_until` one of the requests for it makes
    the next one; all others wait.
    """

    link_id: LinkId
    digest: str
    render_id: RenderId | None
    claimed_until: str | None
