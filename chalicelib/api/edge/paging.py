"""List responses: the envelope, and signed cursors bound to one list of one caller."""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from json import dumps as in_ascii
from typing import Any, Final

from chalicelib.api.edge.endpoint import Call
from chalicelib.core import json
from chalicelib.core.errors import ServiceError, validation_error

_MAC_BYTES: Final = 16
# A Lambda response has 6 MB at most; the rest is for the envelope and the headers.
_MAX_PAGE_BYTES: Final = 4_000_000
_PAGING_PARAMETERS: Final = frozenset({"limit", "cursor"})

type PagePosition = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CursorSigner:
    """Signer of the cursors of one list; `bound_to` is signed but not part of the cursor.

    All `keys` verify a cursor; the first one signs.
    """

    keys: Sequence[bytes]
    bound_to: bytes

    def encode(self, position: PagePosition) -> str:
        """Return the cursor of a position."""
        payload = json.canonical_bytes(position)
        return _cursor_text(self._mac(self.keys[0], payload), payload)

    def decode(self, cursor: str) -> PagePosition:
        """Return a cursor's position; raises `validation_error` for one of another list."""
        try:
            data = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        except (binascii.Error, ValueError):
            raise _invalid_cursor_error() from None
        mac, payload = data[:_MAC_BYTES], data[_MAC_BYTES:]
        if not any(hmac.compare_digest(mac, self._mac(key, payload)) for key in self.keys):
            raise _invalid_cursor_error()
        position = json.loads(payload)
        assert isinstance(position, Mapping)  # The signature is ours.
        # base64 ignores trailing bits; without this check one position would have several cursors.
        if _cursor_text(mac, json.canonical_bytes(position)) != cursor:
            raise _invalid_cursor_error()
        return position

    def _mac(self, key: bytes, payload: bytes) -> bytes:
        bound = hashlib.sha256(self.bound_to).digest()
        return hmac.digest(key, b"cursor" + bound + payload, "sha256")[:_MAC_BYTES]


def _cursor_text(mac: bytes, payload: bytes) -> str:
    return base64.urlsafe_b64encode(mac + payload).decode().rstrip("=")


def start_position(call: Call) -> PagePosition | None:
    """Return the position that the query's `cursor` names; None for the first page."""
    return _cursor_signer(call).decode(call.query.cursor) if call.query.cursor is not None else None


def fitting_prefix[R: Mapping[str, object]](rows: Sequence[R]) -> Sequence[R]:
    """Return the first rows that fit into one response, at least one."""
    sizes = accumulate(encoded_size(row) for row in rows)
    return rows[: max(1, sum(size <= _MAX_PAGE_BYTES for size in sizes))]


def list_envelope(
    call: Call, data: Sequence[object], next_position: PagePosition | None
) -> dict[str, object]:
    """Return the list object; `next_position` is None on the last page."""
    return {
        "object": "list",
        "data": list(data),
        "has_more": next_position is not None,
        "next_cursor": None
        if next_position is None
        else _cursor_signer(call).encode(next_position),
    }


def page_of_all(
    call: Call, rows: Sequence[Mapping[str, object]], key: str = "id", *, oldest_first: bool = False
) -> dict[str, object]:
    """Return a page of rows that are all known, sorted by their `key`, newest first."""
    position = start_position(call)
    if position is not None:
        after = str(position["after"])
        keys = [str(row[key]) for row in rows]
        # The row itself may be deleted meanwhile.
        gone = sum(each < after if oldest_first else each > after for each in keys)
        rows = rows[keys.index(after) + 1 if after in keys else gone :]
    shown = fitting_prefix(rows[: call.query.limit]) if rows else rows
    has_more = len(shown) < len(rows)
    return list_envelope(call, shown, {"after": shown[-1][key]} if has_more else None)


def encoded_size(row: Mapping[str, object]) -> int:
    """Return an upper bound of the row's bytes in a Lambda response.

    The body is JSON text inside a JSON object, so it is escaped twice.
    """
    return len(in_ascii(in_ascii(row)))


def _cursor_signer(call: Call) -> CursorSigner:
    filters = {
        name: text for name, text in call.raw_query.items() if name not in _PAGING_PARAMETERS
    }
    bound: list[json.Json] = [
        call.caller.workspace_id,
        call.caller.mode,
        call.endpoint.path,
        call.params,
        filters,
    ]
    return CursorSigner(call.services.signing_keys, json.canonical_bytes(bound))


def _invalid_cursor_error() -> ServiceError:
    return validation_error(
        "/query/cursor", "is no cursor of this list with these filters", "invalid"
    )
