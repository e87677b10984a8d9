"""Webhook of a request: an address that gets the events of one render."""

from typing import Final, NamedTuple

import msgspec

from chalicelib.core.check_url import CheckTargetUrl
from chalicelib.core.errors import validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.webhooks.endpoints.secrets import SigningSecrets
from chalicelib.features.workspaces.model import Mode

FORWARD_ADVICE: Final = ", and `platen webhook forward` brings the events to it in any case"


class RequestWebhook(NamedTuple):
    """Address and types of the events that it gets."""

    url: str
    events: tuple[str, ...]


class AcceptRequestWebhook(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Acceptance of requests that name a webhook."""

    check_url: CheckTargetUrl
    secrets: SigningSecrets

    def check(self, webhook: RequestWebhook, mode: Mode) -> None:
        """Refuse an address; raises as CheckTargetUrl, and for http with a live key."""
        takes_live = self.check_url(webhook.url, "/webhook/url")
        if mode == "live" and not takes_live:
            message = "must begin with https://: only test keys send events over http"
            raise validation_error("/webhook/url", message, "invalid")

    def prepare(self, workspace_id: WorkspaceId, mode: Mode) -> None:
        """Make the secret that signs for a mode, if there is none."""
        self.secrets.ensure_request_secret(workspace_id, mode)
