"""Lists: the envelope, and cursors that nobody can make up or carry elsewhere."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from json import dumps as in_ascii
from typing import Any, Final

from chalicelib.api._endpoint import Call
from chalicelib.core import json
from chalicelib.core.errors import ServiceError, invalid

_MAC_BYTES: Final = 16
# A function answers with 6 MB at most, of which the rest is for what stands around the page.
_MOST_BYTES: Final = 4_000_000
_NOT_FILTERS: Final = frozenset({"limit", "cursor"})

type Position = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Cursors:
    """Signs positions of one list; what it is bound to is signed, not sent."""

    key: bytes
    bound_to: bytes

    def write(self, position: Position) -> str:
        """Return the cursor of a position."""
        payload = json.canonical(position)
        return base64.urlsafe_b64encode(self._mac(payload) + payload).decode().rstrip("=")

    def read(self, cursor: str) -> Position:
        """Return a cursor's position; raises `validation_error` for one of another list."""
        try:
            data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except (binascii.Error, ValueError):
            raise _foreign() from None
        mac, payload = data[:_MAC_BYTES], data[_MAC_BYTES:]
        # Bits that base64 ignores would let one position have several cursors.
        if not hmac.compare_digest(mac, self._mac(payload)):
            raise _foreign()
        position: Position = json.loads(payload)
        if self.write(position) != cursor:
            raise _foreign()
        return position

    def _mac(self, payload: bytes) -> bytes:
        bound = hashlib.sha256(self.bound_to).digest()
        return hmac.digest(self.key, b"cursor" + bound + payload, "sha256")[:_MAC_BYTES]


def position(call: Call) -> Position | None:
    """Return where the page begins that the call's `cursor` asks for; None: at the newest."""
    return _cursors(call).read(call.query.cursor) if call.query.cursor is not None else None


def that_fit(shown: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """Return the first ones, for which one answer has room; one at least."""
    sizes = accumulate(_bytes(each) for each in shown)
    return shown[: max(1, sum(size <= _MOST_BYTES for size in sizes))]


def envelope(call: Call, data: Sequence[Any], following: Position | None) -> dict[str, Any]:
    """Return the list answer; `following` is where the next page begins, None at the end."""
    return {
        "object": "list",
        "data": list(data),
        "has_more": following is not None,
        "next_cursor": None if following is None else _cursors(call).write(following),
    }


def _bytes(shown: Mapping[str, Any]) -> int:
    """Return what it takes of an answer at most: a function's answer has its body as a text."""
    return len(in_ascii(in_ascii(shown)))


def _cursors(call: Call) -> Cursors:
    filters = {name: text for name, text in call.query_text.items() if name not in _NOT_FILTERS}
    bound = [
        call.caller.workspace_id,
        call.caller.mode,
        call.endpoint.path,
        call.params,
        filters,
    ]
    return Cursors(call.services.cursor_key, json.canonical(bound))


def _foreign() -> ServiceError:
    return invalid("/query/cursor", "is no cursor of this list with these filters", "invalid")
