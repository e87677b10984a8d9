"""Versions of the signing secret: the newest signs, former ones stay valid for a while.

The secret is a JSON object of its versions. A text that is no JSON is one version, as the stack
creates it.
"""

import datetime as dt
import secrets
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from chalicelib.adapters.aws.secrets import REFRESH_AFTER, Secret
from chalicelib.core import json
from chalicelib.core.clock import Clock, format_rfc3339, parse_rfc3339
from chalicelib.core.errors import Conflict

# Every process knows a new version before any process signs with it.
_SIGNS_AFTER: Final = 2 * REFRESH_AFTER
# The longest `delivery.expires_in`.
_LONGEST_LIFETIME: Final = dt.timedelta(days=7)
_MAX_VERSIONS: Final = 5
_KEY_BYTES: Final = 32


class SigningKey(NamedTuple):
    """One version of the secret; `valid_until` is None while no later one takes its place."""

    version: int
    key: bytes
    signs_from: dt.datetime
    valid_until: dt.datetime | None = None


class SigningKeys:
    """Reader and roller of the versions."""

    def __init__(self, secret: Secret, clock: Clock) -> None:
        """Read the versions from `secret`."""
        self._secret = secret
        self._clock = clock

    @property
    def valid_keys(self) -> Sequence[bytes]:
        """Return the keys that verify; the first one signs."""
        now = self._clock.now()
        valid = self._valid_versions(now)
        signing = next(each for each in valid if each.signs_from <= now)
        return [signing.key, *(each.key for each in valid if each is not signing)]

    def roll(self) -> Sequence[SigningKey]:
        """Add a version and return all that are valid, newest first; raises `conflict`."""
        now = self._clock.now()
        valid = self._valid_versions(now)
        if len(valid) >= _MAX_VERSIONS:
            detail = f"{_MAX_VERSIONS} versions are valid; the oldest ends by itself."
            raise Conflict("conflict", detail)
        key = secrets.token_hex(_KEY_BYTES).encode()
        new = SigningKey(valid[0].version + 1, key, now + _SIGNS_AFTER)
        self._secret.replace(_text_of([new, *valid]))
        return self._valid_versions(now)

    def _valid_versions(self, now: dt.datetime) -> Sequence[SigningKey]:
        versions = _parse(self._secret.value)
        ended = [
            older._replace(valid_until=newer.signs_from + _LONGEST_LIFETIME)
            for newer, older in pairwise(versions)
        ]
        kept = [each for each in ended if each.valid_until is None or each.valid_until > now]
        return [versions[0], *kept]


def _parse(text: str) -> Sequence[SigningKey]:
    if not text.startswith("{"):
        return [SigningKey(1, text.encode(), dt.datetime.min.replace(tzinfo=dt.UTC))]
    return [
        SigningKey(row["version"], row["key"].encode(), parse_rfc3339(row["signs_from"]))
        for row in json.loads_own(text)["versions"]
    ]


def _text_of(versions: Sequence[SigningKey]) -> str:
    rows: list[json.Json] = [
        {
            "version": each.version,
            "key": each.key.decode(),
            "signs_from": format_rfc3339(each.signs_from),
        }
        for each in versions
    ]
    return json.dumps({"versions": rows})
