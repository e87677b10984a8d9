"""Signing secrets: those of an endpoint, and the workspace's own for webhooks of requests."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from chalicelib.adapters.aws.sealing import SealBrokenError, SealContext, SecretSealer
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.webhooks.endpoints.model import ENDPOINT_SECRET_FIELD, WebhookEndpoint
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.signature import new_secret
from chalicelib.features.workspaces.model import Mode

# Name of the sealed field; the API function may open this field and no other.
REQUEST_SECRET_FIELD: Final = "request_signing_secret"  # noqa: S105 -- a name
# The fields that the function which signs may open.
SECRET_FIELDS: Final = (ENDPOINT_SECRET_FIELD, REQUEST_SECRET_FIELD)


class SecretUnusableError(Exception):
    """A signing secret can never be opened; the text says what to do."""


class SigningSecrets:
    """Secrets of endpoints and workspaces, opened when something is signed.

    The workspace's own secret of a mode is sealed when a request of that mode first names a
    webhook, and never changes. It signs while there is no default endpoint of the mode.
    """

    def __init__(self, *, endpoints: Endpoints, sealer: SecretSealer) -> None:
        """Keep the workspaces' own secrets beside their endpoints."""
        self._endpoints = endpoints
        self._sealer = sealer
        self._known: set[tuple[WorkspaceId, Mode]] = set()

    def ensure_request_secret(self, workspace_id: WorkspaceId, mode: Mode) -> None:
        """Make the workspace's own secret of a mode if it has none."""
        if (workspace_id, mode) in self._known:
            return
        if self._endpoints.sealed_request_secret(workspace_id, mode) is None:
            sealed = self._sealer.seal(new_secret(), _request_place(workspace_id, mode))
            self._endpoints.add_request_secret(workspace_id, mode, sealed)
            crash_if_armed(CrashPoint.WEBHOOK_SECRET_MADE)
        self._known.add((workspace_id, mode))

    def request_secret(self, workspace_id: WorkspaceId, mode: Mode) -> str | None:
        """Return the workspace's own secret of a mode, None before its first use.

        Raises SecretUnusableError.
        """
        sealed = self._endpoints.sealed_request_secret(workspace_id, mode)
        if sealed is None:
            return None
        advice = "make an endpoint the default one, whose secret signs then"
        return self._open(sealed, _request_place(workspace_id, mode), advice)

    def of_endpoint(self, endpoint: WebhookEndpoint, now: dt.datetime) -> Sequence[str]:
        """Return the secrets that sign at a time, the current one first.

        Raises SecretUnusableError.
        """
        expires_at = endpoint.previous_secret_expires_at
        sealed = [endpoint.sealed_secret]
        if (
            endpoint.sealed_previous_secret is not None
            and expires_at is not None
            and format_rfc3339(now) < expires_at
        ):
            sealed.append(endpoint.sealed_previous_secret)
        advice = f"POST /v1/webhook-endpoints/{endpoint.id}/roll-secret gives a new one"
        return [self._open(each, endpoint.secret_place, advice) for each in sealed]

    def of_request(self, workspace_id: WorkspaceId, mode: Mode, now: dt.datetime) -> Sequence[str]:
        """Return the secrets that sign a webhook of a request of a mode.

        Raises SecretUnusableError.
        """
        default = self._endpoints.default(workspace_id, mode)
        if default is not None:
            own = self.of_endpoint(default, now)
        elif (secret := self.request_secret(workspace_id, mode)) is not None:
            own = [secret]
        elif mode == "test":
            # An earlier release, which had no secret of test keys, has taken the request.
            return self.of_request(workspace_id, "live", now)
        else:
            raise SecretUnusableError("The workspace has no signing secret.")
        return own if mode == "test" else [*own, *self._of_earlier_default(workspace_id, now)]

    def _of_earlier_default(self, workspace_id: WorkspaceId, now: dt.datetime) -> Sequence[str]:
        """Return the secrets of a test key's endpoint that an earlier release let sign live events.

        Receivers that know no other secret yet go on until the workspace has a live default.
        """
        earlier = self._endpoints.default_of_both_modes(workspace_id)
        is_foreign = earlier is not None and earlier.made_in_test_mode
        return self.of_endpoint(earlier, now) if earlier is not None and is_foreign else ()

    def _open(self, sealed: str, place: SealContext, advice: str) -> str:
        """Open a secret.

        Raises KeyUnavailableError, which passes, and SecretUnusableError with an advice.
        """
        try:
            return self._sealer.open(sealed, place).decode()
        except SealBrokenError as error:
            message = f"The signing secret cannot be opened: {advice}."
            raise SecretUnusableError(message) from error


def _request_place(workspace_id: WorkspaceId, mode: Mode) -> SealContext:
    name = workspace_id if mode == "live" else f"{workspace_id}.{mode}"
    return SealContext(workspace_id, name, REQUEST_SECRET_FIELD)
