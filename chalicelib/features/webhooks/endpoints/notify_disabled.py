"""Mail to the owners when an endpoint was disabled because it failed for days."""

import msgspec

from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.workspaces.people.notify_owners import NotifyOwners
from chalicelib.features.workspaces.repository import Workspaces


class NotifyOfDisabledEndpoint(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Handler of due notices; idempotent, except that a crash may send a mail twice."""

    endpoints: Endpoints
    workspaces: Workspaces
    notify: NotifyOwners

    def __call__(self, workspace_id: WorkspaceId, endpoint_id: str) -> None:
        """Send the mail of an endpoint that is still there and disabled."""
        endpoint = self.endpoints.find(workspace_id, endpoint_id)
        workspace = self.workspaces.get(workspace_id)
        if workspace and endpoint and endpoint.disabled_reason is not None:
            self.notify(workspace, "A webhook endpoint was disabled", _mail_text(endpoint))
            crash_if_armed(CrashPoint.WEBHOOK_OWNER_NOTIFIED)
        self.endpoints.end_notice(workspace_id, endpoint_id)


def _mail_text(endpoint: WebhookEndpoint) -> str:
    """Return the text; URL and description are left out, since they may contain anything."""
    return (
        f"The webhook endpoint {endpoint.id} of the workspace {endpoint.workspace_id} was "
        f"disabled: every attempt since {endpoint.failing_since} has failed.\n\n"
        "Its deliveries are in the log (GET /v1/webhook-deliveries), each with the answers of your "
        "server. When the server works again, enable the endpoint with "
        f'PATCH /v1/webhook-endpoints/{endpoint.id} {{"enabled": true}}, and replay what you need.'
    )
