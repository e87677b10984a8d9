"""Use cases of the API function for batches, each built on first use."""

import time

from chalicelib.bootstrap.api_renders import RenderParts
from chalicelib.bootstrap.api_state import ApiState
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.features.batches.accept import AcceptBatch
from chalicelib.features.batches.cancel import CancelBatch
from chalicelib.features.batches.combine.succeeded_items import SucceededItems
from chalicelib.features.batches.present import PresentBatch
from chalicelib.features.batches.read import ReadBatches
from chalicelib.features.batches.release.repository import release_item
from chalicelib.features.batches.retry_failed import RetryFailedItems


class BatchUseCases:
    """Use cases for batches, over those for templates, uploads and files."""

    def __init__(self, state: ApiState, parts: RenderParts) -> None:
        """Build nothing yet."""
        self._state = state
        self._parts = parts

    @LockedCachedProperty
    def accept(self) -> AcceptBatch:  # noqa: D102
        state = self._state
        return AcceptBatch(
            stores=state.batch_stores,
            limits=state.limits,
            idempotency=state.idempotency,
            objects=state.objects,
            clock=state.clock,
            ids=state.ids,
            state=state.service_states,
            templates=self._parts.templates.resolve,
            storage=self._parts.storage,
            uploads=self._parts.read_uploads,
            webhooks=self._parts.accept_webhook,
            region=state.settings.region,
        )

    @LockedCachedProperty
    def read(self) -> ReadBatches:  # noqa: D102
        state = self._state
        return ReadBatches(
            tables=state.tables,
            table=state.main_table,
            batches=self._state.batch_stores.batches,
            bodies=state.batch_bodies,
        )

    @LockedCachedProperty
    def present(self) -> PresentBatch:  # noqa: D102
        return PresentBatch(file_urls=self._parts.signed_urls, clock=self._state.clock)

    @LockedCachedProperty
    def cancel(self) -> CancelBatch:  # noqa: D102
        return CancelBatch(
            batches=self._state.batch_stores.batches,
            wake=self.wake,
            sleep=time.sleep,
            clock=self._state.clock,
        )

    @LockedCachedProperty
    def retry_failed(self) -> RetryFailedItems:  # noqa: D102
        state = self._state
        return RetryFailedItems(
            stores=state.batch_stores,
            items=SucceededItems(state.batch_stores, state.renders),
            files=state.files,
            objects=state.objects,
            wake=self.wake,
            clock=state.clock,
        )

    def wake(self, workspace_id: WorkspaceId) -> None:
        """Send a message to the releaser of a workspace; if that fails, the tick does it."""
        item = release_item(workspace_id)
        queue = self._state.queue(self._state.settings.batches_queue_url)
        queue.try_send(item.to_json(), group=item.group)
