"""Event: the body of a webhook."""

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import UncheckedJson
from chalicelib.contract.webhooks.endpoint import EventTypeName


class EventData(Model):
    """What the event is about."""

    object: dict[str, UncheckedJson]
    """The object that the event is about, such as a render."""


class Event(Model):
    """The body of a webhook; it is the same in each attempt."""

    id: str
    """The same in each attempt and each replay: drop an event that you have seen."""
    type: EventTypeName
    """Type of the event."""
    created_at: str
    """When it happened."""
    workspace_id: str
    """Id of the workspace, `ws_…`."""
    region: str
    """The region where it happened."""
    data: EventData
    """What the event is about."""
