"""Tests of connections over HTTP: the common part of several providers' steps."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, Literal

from chalicelib.core.json import Json, JsonObject
from chalicelib.features.emails.outgoing import Check, CheckFailedError, HandOver
from chalicelib.features.emails.providers.exchange import HttpExchange, ProviderAnswer, shown_text

MAX_SENDERS: Final = 100
_CODES_WITH_MESSAGES: Final = frozenset(
    {"email_provider_auth_failed", "email_ip_not_authorized", "email_rate_limited"}
)


class Account:
    """Account of a connection at its provider."""

    def __init__(
        self,
        exchange: HttpExchange,
        base: str,
        headers: Callable[[str], Mapping[str, str]],
        failure: Callable[[ProviderAnswer], HandOver | None],
    ) -> None:
        """Send requests to `base` with the `headers` for an address.

        `failure` returns the failure that a refusal means, or None if good credentials may do less.
        """
        self._exchange = exchange
        self._base = base
        self._headers = headers
        self._failure = failure

    def get(self, path: str) -> ProviderAnswer:
        """Return a good answer; raises CheckFailedError."""
        url = self._base + path
        answer = self._exchange.get(url, self._headers(url))
        if answer.is_good:
            return answer
        failure = self._failure(answer)
        if failure is None:
            return answer
        message = f"The provider answered {answer.status}."
        if failure.code in _CODES_WITH_MESSAGES and failure.message is not None:
            message = failure.message
        raise CheckFailedError(message, failure.code)

    def credentials(self, path: str) -> Check:
        """Return the step that checks the credentials by a request for `path`."""

        def run() -> Sequence[JsonObject]:
            self.get(path)
            return ()

        return Check("credentials", run)


def listed_sender(
    kind: Literal["sender", "domain"], email: Json, *, is_verified: bool, name: Json = None
) -> JsonObject | None:
    """Return a sender that a provider lists, as the API shows it; None if it cannot be shown."""
    address = shown_text(email)
    if address is None:
        return None
    return {"email": address, "kind": kind, "name": shown_text(name), "verified": is_verified}


def shown_senders(listed: Iterable[JsonObject | None]) -> list[JsonObject]:
    """Return the first MAX_SENDERS senders that can be shown."""
    return list(islice((each for each in listed if each is not None), MAX_SENDERS))
