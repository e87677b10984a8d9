"""Due items: rows with `due_at`, found in the `due` index by their kind, and their message."""

from dataclasses import dataclass
from typing import Final, NamedTuple

from chalicelib.adapters.aws.messages import PoisonMessageError, text_fields
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version

DUE_ITEM_VERSION: Final = 1
# A message is foreign input: only a key of this form reaches the table.
_KEY_FORMAT: Final = "[!-~]{1,200}"
_KIND_FORMAT: Final = "[a-z_]{1,40}"


class DueKind(NamedTuple):
    """Kind of due items: it names their partitions of the `due` index, and so their handler.

    A partition takes 1,000 writes a second, so kinds with many items have several `shards`.
    """

    name: str
    shards: int = 1

    def partition(self, subject: str) -> str:
        """Return the value of `DPK` of a subject's due item.

        The last character of an id is random, so items spread evenly.
        """
        return self._shard(ord(subject[-1]) % self.shards)

    @property
    def partitions(self) -> list[str]:
        """Return all partitions of this kind."""
        return [self._shard(number) for number in range(self.shards)]

    def _shard(self, number: int) -> str:
        return f"DUE#{self.name}#{number}"


@dataclass(frozen=True, slots=True)
class DueItem:
    """Message that a due item is to be handled."""

    kind: str
    pk: str
    sk: str = "META"
    request_id: str | None = None

    def to_json(self) -> JsonObject:
        """Return the message as JSON for the queue."""
        return {
            "v": DUE_ITEM_VERSION,
            "kind": self.kind,
            "pk": self.pk,
            "sk": self.sk,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, message: JsonObject) -> "DueItem":
        """Parse a message of `to_json`; raise UnknownVersion or PoisonMessageError."""
        check_version(message, DUE_ITEM_VERSION)
        return cls(*text_fields(message, kind=_KIND_FORMAT, pk=_KEY_FORMAT, sk=_KEY_FORMAT))

    @property
    def group(self) -> str:
        """Return the message group: the workspace of the item, or the key of one without.

        The queues are fair by group: one workspace does not hold up the others.
        """
        return self.ids().get("WS", self.pk)

    def ids(self) -> dict[str, str]:
        """Return the ids in the key by their prefix: `WS#<id>#RND#<id>` has `WS` and `RND`."""
        parts = self.pk.split("#")
        return dict(zip(parts[::2], parts[1::2], strict=False))

    def id(self, prefix: str) -> str:
        """Return an id of the key; raise PoisonMessageError if the key has none."""
        found = self.ids().get(prefix)
        if not found:
            reason = f"there is no {prefix}# in the key {self.pk} of a due item {self.kind}"
            raise PoisonMessageError(reason)
        return found
