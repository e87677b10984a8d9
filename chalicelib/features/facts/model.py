"""A fact, and what may listen to it."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from chalicelib.adapters.aws.table import Item, Write
from chalicelib.core.ids import WorkspaceId


class Fact(NamedTuple):
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
        return f"FACT#{self.id}"


class Heard(NamedTuple):
    """A fact as a listener gets it, with its subject's row; `settled`: the teller says so."""

    fact: Fact
    row: Item
    settled: bool


class Listener(Protocol):
    """Whom facts are told to."""

    def __call__(self, heard: Heard) -> Sequence[Write]:
        """Do what may be done again, and return the writes that must be done once."""
        ...
