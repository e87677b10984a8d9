"""Request of one attempt: signed, sent through egress, and its answer."""

import datetime as dt
import logging
import re
import time
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.clock import Clock, format_rfc3339
from chalicelib.engine.ports import EgressError
from chalicelib.features.webhooks.deliveries.model import DeliveryAttempt, Receiver, WebhookDelivery
from chalicelib.features.webhooks.endpoints.secrets import SecretUnusableError, SigningSecrets
from chalicelib.features.webhooks.signature import signed_headers

log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 10.0
# The next byte, the last one of 16 KiB, makes an answer whole.
_MAX_ANSWER_BYTES: Final = 16 * 1024 - 1
_EXCERPT_CHARS: Final = 1_000
# Only encodings of web pages: Python keeps every other name that it looks up.
_CHARSET: Final = re.compile(
    r"""(?i);[ \t]{0,9}charset=["']?(utf-?(?:8|16|16[bl]e)|iso-?8859-\d{1,2}|latin-?1|us-ascii"""
    r"|windows-(?:874|125\d)|ibm866|koi8-[ru]|shift[-_]jis|euc-(?:jp|kr)|iso-2022-jp|gbk|gb2312"
    r"|gb18030|big5)(?![a-z0-9_.:-])"
)


class SentRequest(NamedTuple):
    """URL and headers as they were sent."""

    url: str
    headers: Mapping[str, str]


class PostWebhook(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Sender of one attempt; it never raises for a fault of the receiver.

    An answer counts when it is whole within `timeout_s`, from the look-up of the name on.
    """

    secrets: SigningSecrets
    egress: GuardedEgress
    clock: Clock
    timeout_s: float = _TIMEOUT_S

    def __call__(
        self,
        delivery: WebhookDelivery,
        receiver: Receiver,
        body: bytes,
        traceparent: str | None = None,
    ) -> tuple[SentRequest | None, DeliveryAttempt]:
        """Send the next attempt; return its request, None without a usable secret, and itself.

        The receiver gets `traceparent`, unless a header of the endpoint has this name.
        Raises KeyUnavailableError, the operator's fault.
        """
        started, number = self.clock.now(), delivery.attempts_made + 1
        try:
            headers = self._headers(delivery, receiver, body, started)
        except SecretUnusableError as unusable:
            log.error("webhook secret unusable", exc_info=unusable)  # noqa: TRY400 -- no failure
            at = format_rfc3339(started)
            return None, DeliveryAttempt(number, at, None, 0, str(unusable), None)
        if traceparent and not any(name.lower() == "traceparent" for name in headers):
            headers = {**headers, "traceparent": traceparent}
        request = SentRequest(receiver.url, headers)
        return request, self._send(number, request, body, started)

    def _headers(
        self, delivery: WebhookDelivery, receiver: Receiver, body: bytes, now: dt.datetime
    ) -> Mapping[str, str]:
        endpoint = receiver.endpoint
        if endpoint is None:
            headers: Mapping[str, str] = {}
            secrets = self.secrets.of_request(delivery.workspace_id, delivery.mode, now)
        else:
            headers = endpoint.headers
            secrets = self.secrets.of_endpoint(endpoint, now)
        timestamp = int(now.timestamp())
        own = signed_headers(secrets, delivery.event_id, timestamp, body)
        return {**headers, **own}

    def _send(
        self, number: int, request: SentRequest, body: bytes, started: dt.datetime
    ) -> DeliveryAttempt:
        begun = time.monotonic()
        status, error, excerpt = None, None, None
        try:
            answer = self.egress.request(
                "POST",
                request.url,
                headers=request.headers,
                body=body,
                max_bytes=_MAX_ANSWER_BYTES,
                timeout_s=self.timeout_s,
            )
        # ValueError: a header that an earlier release took.
        except (EgressError, ValueError) as failure:
            error = str(failure)
        else:
            status = answer.status
            excerpt = _excerpt(answer.content, answer.headers.get("content-type", ""))
        latency_ms = round((time.monotonic() - begun) * 1_000)
        return DeliveryAttempt(number, format_rfc3339(started), status, latency_ms, error, excerpt)


def _excerpt(content: bytes, content_type: str) -> str:
    text = _decode(content, content_type)[:_EXCERPT_CHARS]
    # Many databases in which callers keep it store no NUL.
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _decode(content: bytes, content_type: str) -> str:
    """Decode in the charset of a content type; in UTF-8 unless web pages may have that charset."""
    charset = _CHARSET.search(content_type)
    try:
        return content.decode(charset[1] if charset else "utf-8", "replace")
    except LookupError:
        return content.decode(errors="replace")
