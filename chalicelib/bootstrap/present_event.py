"""View of events: the object that a webhook shows, for the relay and the operator tool."""

from collections.abc import Callable
from functools import cached_property
from typing import override

from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.signing_keys import SigningKeys
from chalicelib.adapters.aws.table import Row
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.features.batches.events import BATCH_EVENT_TYPES
from chalicelib.features.batches.present import PresentBatch
from chalicelib.features.batches.rows import batch_of
from chalicelib.features.emails.sends.counts.repository import SendCounts
from chalicelib.features.events.model import DomainEvent, EventType
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.renders.events import RENDER_EVENT_TYPES
from chalicelib.features.renders.present import PresentRender
from chalicelib.features.renders.receipts.repository import ReceiptRows
from chalicelib.features.renders.rows import render_of, request_webhook_of
from chalicelib.features.webhooks.request_webhook import RequestWebhook
from chalicelib.features.webhooks.subscribe import EventView
from chalicelib.features.workspaces.repository import Workspaces


def event_viewer(
    state: SharedServices, *, signing_secret: str, files_host: str, region: str
) -> Callable[[WorkspaceId], EventView]:
    """Return the function that makes the view of a workspace's events."""
    clock = state.clock
    workspaces = Workspaces(table=state.main_table)
    signing_keys = SigningKeys(Secret(state.clients, signing_secret, clock), clock)
    file_urls = SignedFileUrls(
        files=state.files,
        workspaces=workspaces,
        objects=state.objects,
        clock=clock,
        files_host=files_host,
        signing_keys=lambda: signing_keys.valid_keys,
    )
    receipt_rows = ReceiptRows(table=state.main_table)
    present_render = PresentRender(
        file_urls=file_urls, receipt_rows=receipt_rows, clock=clock, region=region
    )
    present_batch = PresentBatch(file_urls=file_urls, clock=clock)
    email_counts = SendCounts(table=state.main_table)
    return lambda workspace_id: _WorkspaceEvents(
        workspace_id, workspaces, present_render, present_batch, email_counts
    )


class _WorkspaceEvents(EventView):
    """Renders and files of batches as the API shows them; all else as its type describes it."""

    def __init__(
        self,
        workspace_id: WorkspaceId,
        workspaces: Workspaces,
        present_render: PresentRender,
        present_batch: PresentBatch,
        email_counts: SendCounts,
    ) -> None:
        self._workspace_id = workspace_id
        self._workspaces = workspaces
        self._present_render = present_render
        self._present_batch = present_batch
        self._email_counts = email_counts

    @override
    def present(self, event_type: EventType, event: DomainEvent, row: Row) -> JsonObject:
        assert event_type.describe is not None
        if event_type in RENDER_EVENT_TYPES:
            render = render_of(row).at(event.created_at)
            return self._present_render(render, with_urls=self._shows_file_urls)
        described = event_type.describe(event, row)
        # An event that happened before the combined files were made shows none.
        if event_type not in BATCH_EVENT_TYPES:
            return described
        emails = self._email_counts.of_batch(self._workspace_id, str(row["id"]))
        described = {**described, "emails": emails}
        if described["files"] and self._shows_file_urls:
            return {**described, "files": self._present_batch.files(batch_of(row))}
        return described

    @override
    def request_webhook(self, event_type: EventType, row: Row) -> RequestWebhook | None:
        if event_type in BATCH_EVENT_TYPES:
            return batch_of(row).webhook
        return request_webhook_of(row) if event_type in RENDER_EVENT_TYPES else None

    @override
    def is_internal(self, event_type: EventType, row: Row) -> bool:
        # The events of a batch report on its renders (interface, Event types).
        return event_type in RENDER_EVENT_TYPES and row.get("batch_id") is not None

    @cached_property
    def _shows_file_urls(self) -> bool:
        workspace = self._workspaces.get(self._workspace_id)
        return workspace is None or workspace.webhook_file_urls
