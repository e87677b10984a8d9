"""What the edge itself asks of bootstrap's services; the views know them whole."""

import datetime as dt
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from chalicelib.core.clock import Clock
from chalicelib.core.ids import IdGenerator, KeyId, WorkspaceId

if TYPE_CHECKING:
    from chalicelib.features.workspaces.limits.model import RateState
    from chalicelib.features.workspaces.model import ApiKey, Workspace


class KeyLookup(Protocol):
    """API keys by id."""

    def find_with_workspace(self, key_id: KeyId, /) -> "tuple[ApiKey | None, Workspace | None]":
        """Return the key, or None, and its workspace where it came along."""
        ...


class WorkspaceLookup(Protocol):
    """Workspaces by id."""

    def get(self, workspace_id: WorkspaceId, /) -> "Workspace | None":
        """Return the workspace, or None."""
        ...


class RateLimiter(Protocol):
    """The request rate of each workspace."""

    def count_request(self, workspace: "Workspace", now: dt.datetime, /) -> "RateState":
        """Take one request from the rate; raises `rate_limited`."""
        ...

    def require_known_rate(self, workspace: "Workspace", now: dt.datetime, /) -> None:
        """Raise `rate_limited` where that is known without asking."""
        ...


class KeyUseRecorder(Protocol):
    """Writes down when keys are used."""

    def __call__(self, key: "ApiKey", now: dt.datetime, /) -> Callable[[], object]:
        """Begin to note a use, and return what waits for the end of that."""
        ...


class RequestServices(Protocol):
    """The edge's part of bootstrap's services."""

    @property
    def clock(self) -> Clock: ...  # noqa: D102
    @property
    def ids(self) -> IdGenerator: ...  # noqa: D102
    @property
    def keys(self) -> KeyLookup: ...  # noqa: D102
    @property
    def workspaces(self) -> WorkspaceLookup: ...  # noqa: D102
    @property
    def limits(self) -> RateLimiter: ...  # noqa: D102
    @property
    def record_key_use(self) -> KeyUseRecorder: ...  # noqa: D102

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
