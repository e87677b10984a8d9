"""Delivery of one webhook: claims an attempt, signs, sends, and records the result."""

import datetime as dt
import logging
import time
from collections.abc import Mapping, Sequence
from copy import replace
from typing import Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import MAX_DELAY, Queue
from chalicelib.adapters.aws.sealing import KeyUnavailable, SealBroken, SecretSealer
from chalicelib.adapters.aws.table import ConditionFailed, Tables, Write
from chalicelib.adapters.json_logs import log_context
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.engine.ports import EgressError
from chalicelib.features.webhooks.deliveries import Deliveries
from chalicelib.features.webhooks.endpoints import Endpoints
from chalicelib.features.webhooks.message import DeliverWebhook
from chalicelib.features.webhooks.model import (
    OPEN_STATUSES,
    DeliveryAttempt,
    WebhookDelivery,
    WebhookEndpoint,
)
from chalicelib.features.webhooks.schedule import MAX_ATTEMPTS, attempt_time
from chalicelib.features.webhooks.signature import signed_headers

log = logging.getLogger(__name__)

# The receiver's time, and what claim and result may take.
_TIMEOUT_S: Final = 10.0
_CLAIM: Final = dt.timedelta(seconds=40)
_MAX_ANSWER_BYTES: Final = 16 * 1024
_EXCERPT_CHARS: Final = 1_000
_SLOW_S: Final = 2.0
_DISABLED_AFTER: Final = dt.timedelta(days=5)


class SendWebhook:
    """Sender of due deliveries; an attempt has one number, however often its message comes."""

    def __init__(  # noqa: PLR0913 -- the parts it works with
        self,
        *,
        tables: Tables,
        endpoints: Endpoints,
        deliveries: Deliveries,
        objects: Objects,
        sealer: SecretSealer,
        egress: GuardedEgress,
        retries: Queue,
        clock: Clock,
    ) -> None:
        """Send by `egress`; the queue `retries` takes the message of a next attempt."""
        self._tables = tables
        self._endpoints = endpoints
        self._deliveries = deliveries
        self._objects = objects
        self._sealer = sealer
        self._egress = egress
        self._retries = retries
        self._clock = clock

    def __call__(self, message: DeliverWebhook, claim: str) -> bool:
        """Make an attempt, and return whether one was due; `claim` names this invocation."""
        with log_context(workspace=message.workspace_id, delivery=message.delivery_id):
            now = self._clock.now()
            delivery = self._deliveries.claim(
                message.workspace_id,
                message.delivery_id,
                claim=claim,
                now=now,
                until=now + _CLAIM,
            )
            if delivery is None:
                return False
            endpoint = self._endpoints.find(delivery.workspace_id, delivery.endpoint_id)
            if endpoint is None or not (endpoint.enabled or delivery.is_replay):
                self._record(_cancel(delivery), None, (), claim)
            else:
                self._attempt(delivery, endpoint, claim)
            return True

    def _attempt(self, delivery: WebhookDelivery, endpoint: WebhookEndpoint, claim: str) -> None:
        body = self._payload(delivery)
        if body is None:
            # Its log ends: the payload goes first.
            self._record(replace(_cancel(delivery), status="failed"), None, (), claim)
            return
        started, number = self._clock.now(), delivery.attempts_made + 1
        try:
            headers = self._headers(delivery, endpoint, body, started)
        except (SealBroken, KeyUnavailable) as unusable:
            log.error("webhook secret unusable", exc_info=unusable)  # noqa: TRY400 -- no failure
            error = "The signing secret cannot be opened: POST …/roll-secret gives a new one."
            attempt = DeliveryAttempt(number, format_rfc3339(started), None, 0, error, None)
            after = _after_attempt(delivery, attempt)
        else:
            attempt = self._send(number, endpoint.url, headers, body, started)
            after = replace(
                _after_attempt(delivery, attempt), sent_url=endpoint.url, sent_headers=headers
            )
        changes = self._endpoint_changes(endpoint, attempt)
        if not self._record(after, attempt, changes, claim):
            return
        log.info(
            "webhook sent",
            extra={
                "endpoint": endpoint.id,
                "attempt": attempt.number,
                "status_code": attempt.status_code,
                "latency_ms": attempt.latency_ms,
                "delivery_status": after.status,
            },
        )
        self._send_next(after)

    def _payload(self, delivery: WebhookDelivery) -> bytes | None:
        if delivery.payload is not None:
            return delivery.payload.encode()
        assert delivery.payload_key is not None
        return self._objects.get(delivery.payload_key)

    def _headers(
        self, delivery: WebhookDelivery, endpoint: WebhookEndpoint, body: bytes, now: dt.datetime
    ) -> Mapping[str, str]:
        timestamp = int(now.timestamp())
        secret_texts = [self._open(endpoint, sealed) for sealed in active_secrets(endpoint, now)]
        own = signed_headers(secret_texts, delivery.event_id, timestamp, body)
        return {**endpoint.headers, **own}

    def _open(self, endpoint: WebhookEndpoint, sealed: str) -> str:
        return self._sealer.open(sealed, endpoint.secret_place).decode()

    def _send(
        self,
        number: int,
        url: str,
        headers: Mapping[str, str],
        body: bytes,
        started: dt.datetime,
    ) -> DeliveryAttempt:
        begun = time.monotonic()
        status, error, excerpt = None, None, None
        try:
            answer = self._egress.request(
                "POST",
                url,
                headers=headers,
                body=body,
                max_bytes=_MAX_ANSWER_BYTES,
                timeout_s=_TIMEOUT_S,
            )
        # ValueError: a header that an earlier release took.
        except (EgressError, ValueError) as failure:
            error = str(failure)
        else:
            status = answer.status
            excerpt = answer.content.decode(errors="replace")[:_EXCERPT_CHARS]
        latency_ms = round((time.monotonic() - begun) * 1_000)
        return DeliveryAttempt(number, format_rfc3339(started), status, latency_ms, error, excerpt)

    def _endpoint_changes(
        self, endpoint: WebhookEndpoint, attempt: DeliveryAttempt
    ) -> Sequence[Write]:
        """Return the write of what an attempt changes in its endpoint's row, if anything."""
        failing_since = None
        if not attempt.has_succeeded:
            failing_since = endpoint.failing_since or attempt.at
        sets = {"failing_since": failing_since, "is_slow": _is_slow(attempt)}
        if failing_since is not None and endpoint.enabled:
            failing = parse_rfc3339(attempt.at) - parse_rfc3339(failing_since)
            if failing >= _DISABLED_AFTER:
                log.warning("webhook endpoint disabled", extra={"endpoint": endpoint.id})
                sets |= {"enabled": False, "disabled_reason": "failing"}
        changed = {name: value for name, value in sets.items() if getattr(endpoint, name) != value}
        return [self._endpoints.change_write(endpoint, changed)] if changed else []

    def _record(
        self,
        delivery: WebhookDelivery,
        attempt: DeliveryAttempt | None,
        endpoint_changes: Sequence[Write],
        claim: str,
    ) -> bool:
        """Write a new state; False: this process has lost its claim, so another one does it."""
        writes = self._deliveries.result(delivery, attempt, claim=claim)
        try:
            self._tables.transact([*writes, *endpoint_changes])
        except ConditionFailed as conflict:
            if conflict.index < len(writes):
                return False
            # The endpoint was deleted meanwhile; the attempt was made all the same.
            return self._record(_cancel(delivery), attempt, (), claim)
        return True

    def _send_next(self, delivery: WebhookDelivery) -> None:
        """Send the message of the next attempt, if it is soon; the due item is the net."""
        if delivery.next_attempt_at is None:
            return
        delay = parse_rfc3339(delivery.next_attempt_at) - self._clock.now()
        if delay > MAX_DELAY:
            return
        message = DeliverWebhook(delivery.workspace_id, delivery.id, delivery.request_id)
        self._retries.try_send(
            message.to_json(),
            group=delivery.workspace_id,
            delay=max(delay, dt.timedelta(0)),
        )


def active_secrets(endpoint: WebhookEndpoint, now: dt.datetime) -> Sequence[str]:
    """Return the sealed secrets that sign at a time, the current one first."""
    expires_at = endpoint.previous_secret_expires_at
    if endpoint.sealed_previous_secret is None or expires_at is None:
        return [endpoint.sealed_secret]
    is_active = format_rfc3339(now) < expires_at
    previous = [endpoint.sealed_previous_secret] if is_active else []
    return [endpoint.sealed_secret, *previous]


def _is_slow(attempt: DeliveryAttempt) -> bool:
    return not attempt.has_succeeded or attempt.latency_ms > _SLOW_S * 1_000


def _cancel(delivery: WebhookDelivery) -> WebhookDelivery:
    status = "canceled" if delivery.status in OPEN_STATUSES else delivery.status
    return replace(delivery, status=status, next_attempt_at=None, is_replay=False)


def _after_attempt(delivery: WebhookDelivery, attempt: DeliveryAttempt) -> WebhookDelivery:
    """Return a delivery after an attempt: it ends, or has a next attempt."""
    scheduled_made = delivery.scheduled_made + (not delivery.is_replay)
    after = replace(
        delivery,
        attempts_made=attempt.number,
        scheduled_made=scheduled_made,
        is_replay=False,
        next_attempt_at=None,
    )
    if attempt.has_succeeded:
        return replace(after, status="succeeded")
    if delivery.status not in OPEN_STATUSES:
        return after
    if scheduled_made == MAX_ATTEMPTS:
        return replace(after, status="failed")
    assert delivery.first_attempt_at is not None
    first = parse_rfc3339(delivery.first_attempt_at)
    ended = parse_rfc3339(attempt.at) + dt.timedelta(milliseconds=attempt.latency_ms)
    next_at = max(attempt_time(delivery.id, scheduled_made + 1, first), ended)
    return replace(after, status="retrying", next_attempt_at=format_rfc3339(next_at))
