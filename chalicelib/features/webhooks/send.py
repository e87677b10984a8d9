"""Request of one attempt: signed, sent through egress, and its answer."""

import datetime as dt
import logging
import time
from collections.abc import Mapping
from typing import Final, NamedTuple

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.engine.ports import EgressError
from chalicelib.features.webhooks.model import DeliveryAttempt, Receiver, WebhookDelivery
from chalicelib.features.webhooks.secrets import SecretUnusable, SigningSecrets
from chalicelib.features.webhooks.signature import signed_headers

log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 10.0
# The next byte, the last one of 16 KiB, makes an answer whole.
_MAX_ANSWER_BYTES: Final = 16 * 1024 - 1
_EXCERPT_CHARS: Final = 1_000


class SentRequest(NamedTuple):
    """URL and headers as they were sent."""

    url: str
    headers: Mapping[str, str]


class PostWebhook:
    """Sender of one attempt; it never raises for what the receiver does."""

    def __init__(
        self,
        *,
        secrets: SigningSecrets,
        egress: GuardedEgress,
        clock: Clock,
        timeout_s: float = _TIMEOUT_S,
    ) -> None:
        """Sign with `secrets` and send through `egress`.

        An answer counts when it is whole within `timeout_s`, from the look-up of the name on.
        """
        self._secrets = secrets
        self._egress = egress
        self._clock = clock
        self._timeout_s = timeout_s

    def __call__(
        self, delivery: WebhookDelivery, receiver: Receiver, body: bytes
    ) -> tuple[SentRequest | None, DeliveryAttempt]:
        """Send the next attempt; return its request, None without a usable secret, and itself.

        Raises KeyUnavailable, the operator's fault.
        """
        started, number = self._clock.now(), delivery.attempts_made + 1
        try:
            headers = self._headers(delivery, receiver, body, started)
        except SecretUnusable as unusable:
            log.error("webhook secret unusable", exc_info=unusable)  # noqa: TRY400 -- no failure
            at = format_rfc3339(started)
            return None, DeliveryAttempt(number, at, None, 0, str(unusable), None)
        request = SentRequest(receiver.url, headers)
        return request, self._send(number, request, body, started)

    def _headers(
        self, delivery: WebhookDelivery, receiver: Receiver, body: bytes, now: dt.datetime
    ) -> Mapping[str, str]:
        endpoint = receiver.endpoint
        if endpoint is None:
            headers: Mapping[str, str] = {}
            secrets = self._secrets.of_request(delivery.workspace_id, delivery.mode, now)
        else:
            headers = endpoint.headers
            secrets = self._secrets.of_endpoint(endpoint, now)
        timestamp = int(now.timestamp())
        own = signed_headers(secrets, delivery.event_id, timestamp, body)
        return {**headers, **own}

    def _send(
        self, number: int, request: SentRequest, body: bytes, started: dt.datetime
    ) -> DeliveryAttempt:
        begun = time.monotonic()
        status, error, excerpt = None, None, None
        try:
            answer = self._egress.request(
                "POST",
                request.url,
                headers=request.headers,
                body=body,
                max_bytes=_MAX_ANSWER_BYTES,
                timeout_s=self._timeout_s,
            )
        # ValueError: a header that an earlier release took.
        except (EgressError, ValueError) as failure:
            error = str(failure)
        else:
            status = answer.status
            excerpt = _excerpt(answer.content)
        latency_ms = round((time.monotonic() - begun) * 1_000)
        return DeliveryAttempt(number, format_rfc3339(started), status, latency_ms, error, excerpt)


def _excerpt(content: bytes) -> str:
    text = content.decode(errors="replace")[:_EXCERPT_CHARS]
    # Many databases in which callers keep it store no NUL.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")
