"""What the upkeep queue carries: the key of an item that is due."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.messages import check_version, texts

VERSION: Final = 1
_KEY: Final = "[!-~]{1,200}"


@dataclass(frozen=True, slots=True)
class LookAt:
    """Do for one item what it is due for."""

    pk: str
    sk: str
    request_id: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the queue's message."""
        return {"v": VERSION, "pk": self.pk, "sk": self.sk, "request_id": self.request_id}

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "LookAt":
        """Read what `to_json` wrote; raises UnknownVersion or Poison."""
        check_version(message, VERSION)
        pk, sk = texts(message, pk=_KEY, sk=_KEY)
        return cls(pk, sk)
