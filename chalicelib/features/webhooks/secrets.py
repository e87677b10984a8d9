"""Signing secrets: those of an endpoint, and the workspace's own for webhooks of requests."""

import contextlib
import datetime as dt
from collections.abc import Sequence
from typing import Final

from chalicelib.adapters.aws.sealing import SealBroken, SealContext, SecretSealer
from chalicelib.adapters.aws.table import ConditionFailed, Item, Tables, Write
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.webhooks.endpoints import Endpoints, endpoints_partition
from chalicelib.features.webhooks.model import ENDPOINT_SECRET_FIELD, WebhookEndpoint
from chalicelib.features.webhooks.signature import new_secret

# Name of the row and of the sealed field; the API function may open this field and no other.
_ROW: Final = "SECRET"
REQUEST_SECRET_FIELD: Final = "request_signing_secret"  # noqa: S105 -- a name
# The fields that the function which signs may open.
SECRET_FIELDS: Final = (ENDPOINT_SECRET_FIELD, REQUEST_SECRET_FIELD)


class SecretUnusable(Exception):  # noqa: N818 -- the state of the secret
    """A signing secret can never be opened; the text says what to do."""


class SigningSecrets:
    """Secrets of endpoints and workspaces, opened when something is signed.

    The workspace's own secret is sealed when a request first names a webhook, and never changes.
    It signs while there is no default endpoint.
    """

    def __init__(
        self, tables: Tables, table: str, *, endpoints: Endpoints, sealer: SecretSealer
    ) -> None:
        """Store workspace secrets in this table."""
        self._tables = tables
        self._table = table
        self._endpoints = endpoints
        self._sealer = sealer
        self._known: set[WorkspaceId] = set()

    def ensure_request_secret(self, workspace_id: WorkspaceId) -> None:
        """Make the workspace's own secret if it has none."""
        if workspace_id in self._known:
            return
        if self._request_row(workspace_id) is None:
            sealed = self._sealer.seal(new_secret(), _request_place(workspace_id))
            row = {"PK": endpoints_partition(workspace_id), "SK": _ROW, "sealed_secret": sealed}
            # A repeated or late request must not replace a secret that has signed.
            creation = Write(self._table, item=row, condition="attribute_not_exists(PK)")
            with contextlib.suppress(ConditionFailed):
                self._tables.write(creation)
            crash_if_armed(CrashPoint.WEBHOOK_SECRET_MADE)
        self._known.add(workspace_id)

    def request_secret(self, workspace_id: WorkspaceId) -> str | None:
        """Return the workspace's own secret, None before its first use; raises SecretUnusable."""
        row = self._request_row(workspace_id)
        if row is None:
            return None
        advice = "make an endpoint the default one, whose secret signs then"
        return self._open(row["sealed_secret"], _request_place(workspace_id), advice)

    def of_endpoint(self, endpoint: WebhookEndpoint, now: dt.datetime) -> Sequence[str]:
        """Return the secrets that sign at a time, the current one first; raises SecretUnusable."""
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

    def of_request(self, workspace_id: WorkspaceId, now: dt.datetime) -> Sequence[str]:
        """Return the secrets that sign a webhook of a request; raises SecretUnusable."""
        default = self._endpoints.default(workspace_id)
        if default is not None:
            return self.of_endpoint(default, now)
        secret = self.request_secret(workspace_id)
        if secret is None:
            raise SecretUnusable("The workspace has no signing secret.")
        return [secret]

    def _request_row(self, workspace_id: WorkspaceId) -> Item | None:
        return self._tables.get(self._table, endpoints_partition(workspace_id), _ROW)

    def _open(self, sealed: str, place: SealContext, advice: str) -> str:
        """Open a secret; raises KeyUnavailable, which passes, and SecretUnusable with an advice."""
        try:
            return self._sealer.open(sealed, place).decode()
        except SealBroken as error:
            message = f"The signing secret cannot be opened: {advice}."
            raise SecretUnusable(message) from error


def _request_place(workspace_id: WorkspaceId) -> SealContext:
    return SealContext(workspace_id, workspace_id, REQUEST_SECRET_FIELD)
