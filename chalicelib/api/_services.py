"""What the edge itself asks of bootstrap's services; the views know them whole."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from chalicelib.core.clock import Clock
from chalicelib.core.ids import Ids, KeyId, WorkspaceId

if TYPE_CHECKING:
    from chalicelib.features.workspaces.limits import RateState
    from chalicelib.features.workspaces.model import ApiKey, Workspace


class Keys(Protocol):
    """API keys by id."""

    def find_with_workspace(self, key_id: KeyId, /) -> "tuple[ApiKey | None, Workspace | None]":
        """Return the key, or None, and its workspace where it came along."""
        ...


class Workspaces(Protocol):
    """Workspaces by id."""

    def get(self, workspace_id: WorkspaceId, /) -> "Workspace | None":
        """Return the workspace, or None."""
        ...


class Limits(Protocol):
    """The request rate of each workspace."""

    def count_request(self, workspace: "Workspace", now: dt.datetime, /) -> "RateState":
        """Take one request from the rate; raises `rate_limited`."""
        ...

    def refuse_surely(self, workspace: "Workspace", now: dt.datetime, /) -> None:
        """Raise `rate_limited` where that is known without asking."""
        ...


class NoteKeyUse(Protocol):
    """Writes down when keys are used."""

    def __call__(self, key: "ApiKey", now: dt.datetime, /) -> Callable[[], object]:
        """Begin to note a use, and return what waits for the end of that."""
        ...


class Services(Protocol):
    """The edge's part of bootstrap's services."""

    @property
    def clock(self) -> Clock: ...
    @property
    def ids(self) -> Ids: ...
    @property
    def keys(self) -> Keys: ...
    @property
    def workspaces(self) -> Workspaces: ...
    @property
    def limits(self) -> Limits: ...
    @property
    def note_key_use(self) -> NoteKeyUse: ...

    @property
    def api_host(self) -> str:
        """Scheme, host and port of the API, without a path."""
        ...

    @property
    def cursor_key(self) -> bytes:
        """The secret that list cursors are signed with."""
        ...

    @property
    def checks(self) -> Mapping[str, Callable[[], Any]]:
        """What `/healthz` tries, by name; a check that raises has failed."""
        ...
