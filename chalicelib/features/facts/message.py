"""What the events queue carries: which fact is to be told."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from chalicelib.adapters.aws.messages import check_version, texts
from chalicelib.features.facts.model import Fact

VERSION: Final = 1


class TellFact(NamedTuple):
    """Tell one fact; `settled`: what its render took of the limits is given back already."""

    subject: str
    sort_key: str
    settled: bool = False
    request_id: str | None = None

    @classmethod
    def of(cls, fact: Fact, *, settled: bool) -> "TellFact":
        """Return the message for a fact."""
        return cls(fact.subject, fact.sort_key, settled, fact.request_id)

    def to_json(self) -> dict[str, Any]:
        """Return the queue's message."""
        return {
            "v": VERSION,
            "subject": self.subject,
            "sort_key": self.sort_key,
            "settled": self.settled,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "TellFact":
        """Read what `to_json` wrote; raises UnknownVersion or Poison."""
        check_version(message, VERSION)
        subject, sort_key = texts(message, subject="[!-~]{1,200}", sort_key="FACT#[!-~]{1,100}")
        return cls(subject, sort_key, message.get("settled") is True)
