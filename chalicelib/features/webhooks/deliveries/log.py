"""Log of deliveries: one, a page, and a replay."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import batched
from typing import TYPE_CHECKING, Final

import msgspec

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core import json
from chalicelib.core.clock import Clock, epoch_ms, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import DeliveryId, EndpointId, WorkspaceId
from chalicelib.core.json import Json
from chalicelib.features.events.model import DomainEvent
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.model import WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import (
    Deliveries,
    delivery_not_found,
    expiry,
)
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.workspaces.model import Mode

if TYPE_CHECKING:
    from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint

# Bounds the work of one request: a filter with few matches gets a short page and a cursor.
_MAX_ROWS_READ: Final = 500
_PAGE_ROWS: Final = 100


@dataclass(frozen=True, slots=True)
class DeliveryFilter:
    """Filter of a list; None does not restrict it. Test keys see deliveries of test events.

    With `templates`, the allowlist of a key, it sees deliveries to its own endpoints only.
    """

    endpoint_id: str | None
    status: str | None
    mode: Mode = "live"
    templates: tuple[str, ...] = ()
    events: tuple[DomainEvent, ...] | None = None

    def matches(self, delivery: WebhookDelivery) -> bool:
        """Tell whether a delivery passes the filter."""
        return (
            self.endpoint_id in {None, delivery.endpoint_id}
            and self.status in {None, delivery.status}
            and (self.events is None or delivery.event_id in {each.id for each in self.events})
            and (self.mode == "live" or delivery.test)
        )

    @property
    def row_statuses(self) -> tuple[str, ...]:
        """Return the statuses that the rows of matching deliveries may have; empty: all."""
        if self.status is None:
            return ()
        # What a pause or a deletion has canceled is still open in its row.
        return ("canceled", "pending", "retrying") if self.status == "canceled" else (self.status,)


@dataclass(frozen=True, slots=True)
class DeliveryPage:
    """Page of deliveries, newest first; the next page has ids below `next_after`."""

    deliveries: list[WebhookDelivery]
    next_after: str | None


class DeliveryLog(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Reads and replays the deliveries of a workspace."""

    endpoints: Endpoints
    deliveries: Deliveries
    objects: Objects
    queue: Callable[[], Queue]
    clock: Clock

    def body(self, delivery: WebhookDelivery) -> Json:
        """Return the body that is sent."""
        if delivery.payload is not None:
            text = delivery.payload.encode()
        else:
            assert delivery.payload_key is not None
            text = self.objects.get(delivery.payload_key) or b"null"
        body: Json = json.loads_own(text)
        return body

    def page(
        self,
        workspace_id: WorkspaceId,
        criteria: DeliveryFilter,
        *,
        limit: int,
        after: str | None,
    ) -> DeliveryPage:
        """Return up to `limit` deliveries below the id `after`."""
        if criteria.events is not None:
            return self._page_of_events(workspace_id, criteria, limit, after)
        now = format_rfc3339(self.clock.now())
        below, rows_read = after or "whd_~", 0
        is_visible = self._visibility(workspace_id, criteria.mode, criteria.templates)
        matches: list[WebhookDelivery] = []
        while True:
            page = self.deliveries.newest_page(
                workspace_id, below, criteria.row_statuses, _PAGE_ROWS
            )
            ids = [DeliveryId(row["LSK"]) for row in page.items]
            matches += [
                delivery
                for delivery in self._at_endpoints(self.deliveries.get_many(workspace_id, ids))
                if criteria.matches(delivery) and is_visible(delivery) and expiry(delivery) > now
            ]
            if len(matches) > limit:
                return DeliveryPage(matches[:limit], matches[limit - 1].id)
            if page.last_evaluated_key is None:
                return DeliveryPage(matches, None)
            below = page.last_evaluated_key["LSK"]
            rows_read += page.scanned_count
            if rows_read >= _MAX_ROWS_READ:
                return DeliveryPage(matches, below)

    def _page_of_events(
        self, workspace_id: WorkspaceId, criteria: DeliveryFilter, limit: int, after: str | None
    ) -> DeliveryPage:
        """Return a page of the deliveries of a few events, whose ids have the time of the event."""
        now = format_rfc3339(self.clock.now())
        is_visible = self._visibility(workspace_id, criteria.mode, criteria.templates)
        moments = {epoch_ms(parse_rfc3339(each.created_at)) for each in criteria.events or ()}
        ids = [each for ms in moments for each in self.deliveries.ids_of_time(workspace_id, ms)]
        found: list[WebhookDelivery] = []
        for some in batched(ids, BATCH_GET_LIMIT, strict=False):
            found += self._at_endpoints(self.deliveries.get_many(workspace_id, some))
        matches = [
            delivery
            for delivery in sorted(found, key=lambda each: each.id, reverse=True)
            if criteria.matches(delivery) and is_visible(delivery) and expiry(delivery) > now
        ]
        rest = [each for each in matches if after is None or each.id < after]
        return DeliveryPage(rest[:limit], rest[limit - 1].id if len(rest) > limit else None)

    def one(
        self, workspace_id: WorkspaceId, delivery_id: str, mode: Mode, templates: Collection[str]
    ) -> WebhookDelivery:
        """Return a delivery that a key of a mode and allowlist may see; raises `not_found`."""
        (delivery,) = self._at_endpoints([self.deliveries.one(workspace_id, delivery_id, mode)])
        if not self._visibility(workspace_id, mode, templates)(delivery):
            raise delivery_not_found(delivery_id)
        return delivery

    def _visibility(
        self, workspace_id: WorkspaceId, mode: Mode, templates: Collection[str]
    ) -> Callable[[WebhookDelivery], bool]:
        """Return the predicate of the deliveries that a key of this mode and allowlist may see."""
        if not templates:
            return lambda _delivery: True
        endpoint_ids = {
            each.id
            for each in self.endpoints.all(workspace_id)
            if each.is_visible_to(mode, templates)
        }
        # An endpoint may have had another filter before.
        return lambda delivery: (
            delivery.endpoint_id in endpoint_ids and delivery.template_id in {None, *templates}
        )

    def shows_request(self, delivery: WebhookDelivery, mode: Mode) -> bool:
        """Tell whether keys of a mode see a sent request: a test key only to its own endpoints."""
        if mode == "live" or delivery.endpoint_id is None:
            return True
        endpoint = self.endpoints.find(delivery.workspace_id, delivery.endpoint_id)
        return endpoint is not None and endpoint.is_visible_to(mode)

    def _at_endpoints(self, deliveries: Sequence[WebhookDelivery]) -> list[WebhookDelivery]:
        """Return deliveries of one workspace as they are with their endpoints."""
        if not any(delivery.is_open for delivery in deliveries):
            return list(deliveries)
        endpoints: dict[EndpointId | None, WebhookEndpoint] = {
            endpoint.id: endpoint for endpoint in self.endpoints.all(deliveries[0].workspace_id)
        }
        return [
            delivery.at_endpoint(endpoints.get(delivery.endpoint_id)) for delivery in deliveries
        ]

    def replay(self, delivery: WebhookDelivery, request_id: str) -> WebhookDelivery:
        """Send a delivery again, once, to its endpoint as it is now, or to the URL of its request.

        Raises `conflict` if the endpoint is deleted or may not have the event any more, or an
        attempt is being made.
        """
        endpoint_id = delivery.endpoint_id
        if endpoint_id is not None:
            endpoint = self.endpoints.find(delivery.workspace_id, endpoint_id)
            if endpoint is None:
                detail = f"The webhook endpoint {endpoint_id} is deleted."
                raise Conflict("conflict", detail)
            if not endpoint.may_get(test=delivery.test):
                detail = f"The webhook endpoint {endpoint_id} gets events of test renders only."
                raise Conflict("conflict", detail)
        replayed = self.deliveries.replay(delivery, format_rfc3339(self.clock.now()))
        if replayed is None:
            raise Conflict("conflict", "An attempt of this delivery is being made; try again.")
        crash_if_armed(CrashPoint.WEBHOOK_REPLAYED)
        message = DeliverWebhook(delivery.workspace_id, delivery.id, request_id)
        self.queue().try_send(message.to_json(), group=delivery.workspace_id)
        crash_if_armed(CrashPoint.WEBHOOK_REPLAY_SENT)
        return replayed
