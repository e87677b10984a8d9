"""Domain event, its type, its delivery to subscribers, and the message that publishes it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import text_fields
from chalicelib.adapters.aws.queues import QueueMessage
from chalicelib.adapters.aws.table import Row, Write
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.message_version import check_version

PUBLISH_EVENT_VERSION: Final = 1


# Partition and sort key.
type RowKey = tuple[str, str]


class DomainEvent(NamedTuple):
    """Record of a change; its id is derived from the change, so it exists once.

    `subject` is the partition of the changed entity, which also has its `META` row. `request_id` is
    the request that caused the change. `detail` has the data that the subject's row lacks.
    """

    id: str
    type: str
    workspace_id: WorkspaceId
    subject: str
    request_id: str
    created_at: str
    detail: Mapping[str, Json] = {}

    @property
    def sort_key(self) -> str:
        """Return the sort key in the subject's partition."""
        return f"EVENT#{self.id}"


class EventType(NamedTuple):
    """Type of events, with its texts for the API's reference.

    `describe` gets the event and the row of its subject, and returns the object that webhooks show
    to customers. It is None for an event that stays inside. `summary` says when a webhook is sent,
    `model` names the contract's model of its object (`package.module:Model`), and `example` is such
    an object.
    """

    name: str
    describe: Callable[[DomainEvent, Row], JsonObject] | None = None
    summary: str = ""
    model: str = ""
    example: Mapping[str, Json] = {}

    @property
    def is_public(self) -> bool:
        """Tell whether customers may see events of this type."""
        return self.describe is not None


@dataclass(frozen=True, kw_only=True)
class EventDelivery:
    """Event for its subscribers, with its subject's row; the flags are those of PublishEvent."""

    event: DomainEvent
    type: EventType
    subject_row: Row
    settled: bool
    limits_due: bool = False
    region: str = ""
    # By key: the rows that subscribers have named with `companions`, if they exist.
    companions: Mapping[RowKey, Row] = field(default_factory=dict)


class OutgoingMessage(NamedTuple):
    """Message to a queue of the registry of work."""

    queue: str
    message: QueueMessage


class Subscriber[Plan = object]:
    """Handler of events of some types; all deliveries of a call are of one workspace.

    A function may die at any line. `prepare` and `follow_up` are then called again, so their
    effects have derived ids. The writes happen exactly once.

    One subscriber serves several relays at once, so it keeps nothing of a call. Plans carry the
    results of `prepare` to the later calls.
    """

    types: frozenset[str] = frozenset()

    def companions(self, workspace_id: WorkspaceId) -> Sequence[RowKey]:  # noqa: ARG002
        """Return the keys of rows to read together with the events of a workspace, few of them."""
        return ()

    def prepare(self, deliveries: Sequence[EventDelivery]) -> Mapping[str, Plan]:  # noqa: ARG002
        """Do idempotent work before the events are published; return plans by event id."""
        return {}

    def writes(
        self,
        deliveries: Sequence[EventDelivery],  # noqa: ARG002
        plans: Mapping[str, Plan],  # noqa: ARG002
    ) -> Sequence[Write]:
        """Return writes for the transaction that publishes the events, each key once.

        The writes of one event fit into a transaction with those of other subscribers; all further
        ones go into an event of a next step.
        """
        return ()

    def follow_up(
        self,
        deliveries: Sequence[EventDelivery],  # noqa: ARG002
        plans: Mapping[str, Plan],  # noqa: ARG002
    ) -> Sequence[OutgoingMessage]:
        """Do idempotent work after the transaction, and return the messages to send.

        Events that were published before have no plans.
        """
        return ()


class PublishEvent(NamedTuple):
    """Message to publish one event.

    `settled`: the sender has already released the limits of the render. `limits_due`: that has
    reached a usage threshold.
    """

    subject: str
    sort_key: str
    settled: bool = False
    request_id: str | None = None
    limits_due: bool = False

    @property
    def workspace_id(self) -> WorkspaceId:
        """Return the workspace that the subject names, or an empty id."""
        kind, _, rest = self.subject.partition("#")
        return WorkspaceId(rest.partition("#")[0] if kind == "WS" else "")

    @classmethod
    def of_event(
        cls, event: DomainEvent, *, settled: bool, limits_due: bool = False
    ) -> "PublishEvent":
        """Return the message of an event."""
        return cls(event.subject, event.sort_key, settled, event.request_id, limits_due)

    @classmethod
    def of_due_item(cls, item: DueItem) -> "PublishEvent":
        """Return the message of an event that is due because it was not published."""
        return cls(item.pk, item.sk, request_id=item.request_id)

    def to_json(self) -> JsonObject:
        """Return the body of the queue message."""
        return {
            "v": PUBLISH_EVENT_VERSION,
            "subject": self.subject,
            "sort_key": self.sort_key,
            "settled": self.settled,
            "limits_due": self.limits_due,
            "request_id": self.request_id,
        }

    @classmethod
    def from_json(cls, message: JsonObject) -> "PublishEvent":
        """Parse the JSON that `to_json` wrote; raise UnknownVersion or PoisonMessageError."""
        check_version(message, PUBLISH_EVENT_VERSION)
        subject, sort_key = text_fields(
            message, subject="[!-~]{1,200}", sort_key="EVENT#[!-~]{1,100}"
        )
        return cls(
            subject,
            sort_key,
            settled=message.get("settled") is True,
            limits_due=message.get("limits_due") is True,
        )
