"""Delivery of one webhook: claims an attempt, signs, sends, and records the result."""

import datetime as dt
import logging
from collections.abc import Callable, Sequence
from copy import replace
from typing import Final

import msgspec

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import MAX_DELAY, Queue
from chalicelib.adapters.aws.sealing import KeyUnavailableError
from chalicelib.adapters.aws.table import ConditionFailed, Table, Throttled, Write
from chalicelib.adapters.json_logs import log_context
from chalicelib.adapters.tracing import CLIENT, Span, span
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.crash_points import CrashPoint, crash_if_armed
from chalicelib.features.webhooks.deliveries.message import DeliverWebhook
from chalicelib.features.webhooks.deliveries.model import DeliveryAttempt, Receiver, WebhookDelivery
from chalicelib.features.webhooks.deliveries.repository import MESSAGE_TIME, Deliveries
from chalicelib.features.webhooks.deliveries.schedule import (
    MAX_ATTEMPTS,
    attempt_time,
    waiting_time,
)
from chalicelib.features.webhooks.deliveries.send import PostWebhook
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.leases.repository import BatchLeases

log = logging.getLogger(__name__)

# The receiver's time, and what claim and result may take.
CLAIM_TIME: Final = dt.timedelta(seconds=40)
_SLOW_MS: Final = 2_000
_DISABLED_AFTER: Final = dt.timedelta(days=5)


class SendWebhook(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Sender of due deliveries; an attempt has one number, however often its message comes.

    The queue `retries` takes the message of a next attempt. `on_attempt` gets the status of a
    delivery after each attempt.
    """

    table: Table
    endpoints: Endpoints
    deliveries: Deliveries
    objects: Objects
    post: PostWebhook
    retries: Queue
    clock: Clock
    on_attempt: Callable[[str], None]

    def __call__(self, message: DeliverWebhook, leases: BatchLeases, claim: str) -> bool:
        """Make an attempt, and return whether one was due; `claim` names it among all.

        An attempt for which there is no lease is put off.
        """
        with log_context(workspace=message.workspace_id, delivery=message.delivery_id):
            crash_if_armed(CrashPoint.WEBHOOK_BEGUN)
            now = self.clock.now()
            delivery = self.deliveries.claim(
                message.workspace_id,
                message.delivery_id,
                claim=claim,
                now=now,
                until=now + CLAIM_TIME,
            )
            if delivery is None:
                return False
            crash_if_armed(CrashPoint.WEBHOOK_CLAIMED)
            endpoint = None
            if delivery.endpoint_id is not None:
                endpoint = self.endpoints.find(delivery.workspace_id, delivery.endpoint_id)
            delivery = delivery.at_endpoint(endpoint)
            receiver = Receiver.of_delivery(delivery, endpoint)
            if delivery.claims_made > MAX_RECEIVE_COUNT:
                log.error(
                    "webhook given up: its functions died",
                    extra={"attempt": delivery.attempts_made + 1},
                )
                self._record(delivery.given_up(), None, (), claim)
            elif delivery.next_attempt_at is None or receiver is None:
                self._record(replace(delivery, next_attempt_at=None), None, (), claim)
            else:
                self._attempt_with_lease(delivery, receiver, leases, claim, now)
            return True

    def _attempt_with_lease(
        self,
        delivery: WebhookDelivery,
        receiver: Receiver,
        leases: BatchLeases,
        claim: str,
        now: dt.datetime,
    ) -> None:
        period = (now, now + CLAIM_TIME)
        with leases.attempt(delivery.workspace_id, receiver, claim, period) as has_lease:
            if has_lease:
                crash_if_armed(CrashPoint.WEBHOOK_LEASED)
                self._attempt(delivery, receiver, claim)
            else:
                self._postpone(delivery, claim, now)
        crash_if_armed(CrashPoint.WEBHOOK_RELEASED)

    def _postpone(self, delivery: WebhookDelivery, claim: str, now: dt.datetime) -> None:
        """Put an attempt off: it waits longer, the longer it has waited (decision 38)."""
        assert delivery.next_attempt_at is not None
        delay = waiting_time(delivery.id, now - parse_rfc3339(delivery.next_attempt_at))
        if self.deliveries.postpone(delivery, claim=claim, due_at=now + delay + MESSAGE_TIME):
            log.info("webhook put off", extra={"seconds": delay.total_seconds()})
            crash_if_armed(CrashPoint.WEBHOOK_POSTPONED)
            self._send_message(delivery, delay)

    def _attempt(self, delivery: WebhookDelivery, receiver: Receiver, claim: str) -> None:
        body = self._payload(delivery)
        if body is None:
            # Its log ends: the payload goes first.
            self._record(delivery.given_up(), None, (), claim)
            return
        try:
            with span(
                "deliver webhook", "deliver_webhook", kind=CLIENT, parent=delivery.traceparent
            ) as current:
                request, attempt = self.post(
                    delivery, receiver, body, current.traceparent if current else None
                )
                if current is not None:
                    _show_attempt(current, delivery, attempt)
        except KeyUnavailableError as fault:
            # No attempt is used up for what the operator has to mend.
            log.error("webhook not signed", exc_info=fault)  # noqa: TRY400 -- it is tried again
            self._postpone(delivery, claim, self.clock.now())
            return
        crash_if_armed(CrashPoint.WEBHOOK_SENT)
        after = _after_attempt(delivery, attempt)
        if request is not None:
            after = replace(after, sent_url=request.url, sent_headers=request.headers)
        changes = self._endpoint_changes(receiver.endpoint, attempt)
        if not self._record(after, attempt, changes, claim):
            return
        crash_if_armed(CrashPoint.WEBHOOK_RECORDED)
        log.info(
            "webhook sent",
            extra={
                "endpoint": delivery.endpoint_id,
                "attempt": attempt.number,
                "status_code": attempt.status_code,
                "latency_ms": attempt.latency_ms,
                "delivery_status": after.status,
            },
        )
        self.on_attempt(after.status)
        self._send_next(after)

    def _payload(self, delivery: WebhookDelivery) -> bytes | None:
        if delivery.payload is not None:
            return delivery.payload.encode()
        assert delivery.payload_key is not None
        return self.objects.get(delivery.payload_key)

    def _endpoint_changes(
        self, endpoint: WebhookEndpoint | None, attempt: DeliveryAttempt
    ) -> Sequence[Write]:
        """Return the write of an attempt's changes in its endpoint's row, if there are any."""
        if endpoint is None:
            return ()
        failing_since = None
        if not attempt.has_succeeded:
            failing_since = endpoint.failing_since or attempt.at
        is_slow = not attempt.has_succeeded or attempt.latency_ms > _SLOW_MS
        sets = {"failing_since": failing_since, "is_slow": is_slow}
        changed = {name: value for name, value in sets.items() if getattr(endpoint, name) != value}
        if failing_since is not None and endpoint.enabled:
            failing = parse_rfc3339(attempt.at) - parse_rfc3339(failing_since)
            if failing >= _DISABLED_AFTER:
                return self.endpoints.disabling(endpoint, changed, self.clock.now())
        return [self.endpoints.change_write(endpoint, changed)] if changed else []

    def _record(
        self,
        delivery: WebhookDelivery,
        attempt: DeliveryAttempt | None,
        endpoint_changes: Sequence[Write],
        claim: str,
    ) -> bool:
        """Write a new state; False: this process has lost its claim, so another one does it."""
        writes = self.deliveries.result_writes(delivery, attempt, claim=claim)
        try:
            self.table.transact([*writes, *endpoint_changes])
        except ConditionFailed as conflict:
            if conflict.index < len(writes):
                return False
            # The endpoint was changed or deleted meanwhile; the attempt was made all the same.
            return self._record(delivery, attempt, (), claim)
        except Throttled:
            if not endpoint_changes:
                raise
            # Many attempts to this endpoint end at once: another one writes the same change.
            return self._record(delivery, attempt, (), claim)
        return True

    def _send_next(self, delivery: WebhookDelivery) -> None:
        """Send the message of the next attempt, if it is soon; the due item is the net."""
        if delivery.next_attempt_at is None:
            return
        delay = parse_rfc3339(delivery.next_attempt_at) - self.clock.now()
        if delay > MAX_DELAY:
            return
        self._send_message(delivery, max(delay, dt.timedelta(0)))
        crash_if_armed(CrashPoint.WEBHOOK_NEXT_SENT)

    def _send_message(self, delivery: WebhookDelivery, delay: dt.timedelta) -> None:
        message = DeliverWebhook(delivery.workspace_id, delivery.id, delivery.request_id)
        self.retries.try_send(message.to_json(), group=delivery.workspace_id, delay=delay)


def _show_attempt(current: Span, delivery: WebhookDelivery, attempt: DeliveryAttempt) -> None:
    """Set the result of an attempt in its span."""
    current.set(
        platen__event_type=delivery.event_type,
        platen__attempt=attempt.number,
        http__response__status_code=attempt.status_code,
    )
    if not attempt.has_succeeded:
        current.fail("the receiver did not answer with 2xx")


def _after_attempt(delivery: WebhookDelivery, attempt: DeliveryAttempt) -> WebhookDelivery:
    """Return a delivery after an attempt: it ends, or has a next attempt."""
    scheduled_made = delivery.scheduled_made + (not delivery.is_replay)
    first_attempt_at = delivery.first_attempt_at or attempt.at
    after = replace(
        delivery,
        attempts_made=attempt.number,
        scheduled_made=scheduled_made,
        is_replay=False,
        first_attempt_at=first_attempt_at,
        next_attempt_at=None,
    )
    if attempt.has_succeeded:
        return replace(after, status="succeeded")
    if not delivery.is_open:
        return after
    if scheduled_made == MAX_ATTEMPTS:
        return replace(after, status="failed")
    first = parse_rfc3339(first_attempt_at)
    ended = parse_rfc3339(attempt.at) + dt.timedelta(milliseconds=attempt.latency_ms)
    next_at = max(attempt_time(delivery.id, scheduled_made + 1, first), ended)
    return replace(after, status="retrying", next_attempt_at=format_rfc3339(next_at))
