"""What the upkeep queue carries: the key of an item that is due."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from chalicelib.adapters.aws.messages import Poison, check_version

VERSION: Final = 1


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
        pk, sk = message.get("pk"), message.get("sk")
        if not (isinstance(pk, str) and isinstance(sk, str)):
            reason = "pk and sk must be strings"
            raise Poison(reason)
        return cls(pk, sk)
