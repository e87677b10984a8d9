"""Domain event, its delivery to subscribers, and the message that publishes it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

from chalicelib.adapters.aws.messages import check_version, text_fields
from chalicelib.adapters.aws.table import Item, Write
from chalicelib.core.ids import WorkspaceId

PUBLISH_EVENT_VERSION: Final = 1


class DomainEvent(NamedTuple):
    """Record of a change; its id is derived from the change, so it exists once.

    `subject` is the partition of the changed entity, which also has its `META` row.
    `request_id` is the request that caused the change. `detail` is what the subject's row lacks.
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
        """Return the sort key in the subject's partition."""
        return f"EVENT#{self.id}"


class EventDelivery(NamedTuple):
    """Event for a subscriber, with its subject's row.

    `settled`: the sender has already released the limits of the render.
    """

    event: DomainEvent
    subject_row: Item
    settled: bool


class Subscriber(Protocol):
    """Handler of events."""

    def __call__(self, delivery: EventDelivery) -> Sequence[Write]:
        """Do the idempotent work and return the writes that must happen once."""
        ...


class PublishEvent(NamedTuple):
    """Message to publish one event; `settled` as in EventDelivery."""

    subject: str
    sort_key: str
    settled: bool = False
    request_id: str | None = None

    @classmethod
    def of_event(cls, event: DomainEvent, *, settled: bool) -> "PublishEvent":
        """Return the message of an event."""
        return cls(event.subject, event.sort_key, settled, event.request_id)

    def to_json(self) -> dict[str, Any]:
        """Return the body of the queue message."""
        return {
            "v": PUBLISH_EVENT_VERSION,
            "subject": self.subject,
            "sort_key": self.sort_key,
            "settled": self.settled,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, message: Mapping[str, Any]) -> "PublishEvent":
        """Parse the JSON that `to_json` wrote; raise UnknownVersion or PoisonMessage."""
        check_version(message, PUBLISH_EVENT_VERSION)
        subject, sort_key = text_fields(
            message, subject="[!-~]{1,200}", sort_key="EVENT#[!-~]{1,100}"
        )
        return cls(subject, sort_key, message.get("settled") is True)
