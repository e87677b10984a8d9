"""A fact, and what may listen to it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from chalicelib.adapters.aws.messages import check_version, text_fields
from chalicelib.adapters.aws.table import Item, Write
from chalicelib.core.ids import WorkspaceId


class DomainEvent(NamedTuple):
    """That something came about; its id is derived from what it tells, so it exists once.

    `subject` is the partition of what it tells about, whose `META` row stands beside it;
    `request_id` is the request that caused it. `detail` is what its subject's row does not tell.
    """

    id: str
    type: str
    workspace_id: WorkspaceId
    subject: str
    request_id: str
    created_at: str
    detail: Mapping[str, Any] = {}

    @property
    def sort_key(self) -> str:
        """Return where it stands in its subject's partition."""
        return f"EVENT#{self.id}"


class EventDelivery(NamedTuple):
    """A fact as a listener gets it, with its subject's row; `settled`: the teller says so."""

    event: DomainEvent
    subject_row: Item
    settled: bool


class Subscriber(Protocol):
    """Whom facts are told to."""

    def __call__(self, delivery: EventDelivery) -> Sequence[Write]:
        """Do what may be done again, and return the writes that must be done once."""
        ...


PUBLISH_EVENT_VERSION: Final = 1


class PublishEvent(NamedTuple):
    """Tell one fact; `settled`: what its render took of the limits is given back already."""

    subject: str
    sort_key: str
    settled: bool = False
    request_id: str | None = None

    @classmethod
    def of_event(cls, event: DomainEvent, *, settled: bool) -> "PublishEvent":
        """Return the message for a fact."""
        return cls(event.subject, event.sort_key, settled, event.request_id)

    def to_json(self) -> dict[str, Any]:
        """Return the queue's message."""
        return {
            "v": PUBLISH_EVENT_VERSION,
            "subject": self.subject,
            "sort_key": self.sort_key,
            "settled": self.settled,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "PublishEvent":
        """Read what `to_json` wrote; raises UnknownVersion or Poison."""
        check_version(message, PUBLISH_EVENT_VERSION)
        subject, sort_key = text_fields(
            message, subject="[!-~]{1,200}", sort_key="EVENT#[!-~]{1,100}"
        )
        return cls(subject, sort_key, message.get("settled") is True)
