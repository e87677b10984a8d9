"""Endpoints of benchmarks, in the table of a running stack."""

from typing import Any

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.table import Table
from chalicelib.core.clock import SystemClock
from chalicelib.core.ids import RandomIdGenerator, WorkspaceId
from chalicelib.features.webhooks.endpoints.manage import ManageEndpoints
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from infra.bench.final_renders import bench_clients
from infra.local.running_stack import RunningStack


class BenchEndpoints:
    """Creator of endpoints, also of workspaces without a row, which have no key for the API."""

    def __init__(self, stack: RunningStack) -> None:
        """Seal their secrets with the data key of the stack."""
        clients = bench_clients(stack)
        key = stack.resources["DataKey"]["Arn"]
        self._manage = ManageEndpoints(
            endpoints=Endpoints(table=Table(clients, stack.resources["MainTable"]["Ref"])),
            sealer=SecretSealer(clients, key, SystemClock()),
            check_url=lambda _url, _pointer: True,
            clock=SystemClock(),
            ids=RandomIdGenerator(),
        )

    def make(
        self, workspace_id: WorkspaceId, url: str, template_ids: tuple[str, ...] = ()
    ) -> WebhookEndpoint:
        """Make an endpoint that hears the ends of renders."""
        fields: dict[str, Any] = {
            "url": url,
            "description": None,
            "events": ("render.succeeded", "render.failed"),
            "template_ids": template_ids,
            "headers": {},
            "enabled": True,
        }
        return self._manage.create(workspace_id, "live", fields).endpoint
