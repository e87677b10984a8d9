"""Ports of the edge: the part of bootstrap's services that the edge itself uses."""

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from chalicelib.core.clock import Clock
from chalicelib.core.ids import IdGenerator, KeyId, WorkspaceId
from chalicelib.core.trusted_proxies import TrustedProxies

if TYPE_CHECKING:
    from chalicelib.features.workspaces.keys.model import ApiKey
    from chalicelib.features.workspaces.limits.model import RateState
    from chalicelib.features.workspaces.model import Workspace


class KeyLookup(Protocol):
    """Port: API keys by id."""

    def find_with_workspace(self, key_id: KeyId, /) -> "tuple[ApiKey | None, Workspace | None]":
        """Return the key, or None, and its workspace if it was read in the same call."""
        ...


class WorkspaceLookup(Protocol):
    """Port: workspaces by id."""

    def get(self, workspace_id: WorkspaceId, /) -> "Workspace | None":
        """Return the workspace, or None."""
        ...


class RequestRateLimiter(Protocol):
    """Port: rate of each workspace's requests that make no render."""

    def count(self, workspace: "Workspace", now: dt.datetime, /) -> "RateState":
        """Take one request from the rate; raises `rate_limited`."""
        ...


class AdmissionRateLimiter(Protocol):
    """Port: rate of each workspace's creations."""

    def count_creation(self, workspace: "Workspace", now: dt.datetime, /) -> "RateState":
        """Take one from the rate of admissions, for a refused one; raises `rate_limited`."""
        ...

    def require_known_rate(self, workspace: "Workspace", now: dt.datetime, /) -> None:
        """Raise `rate_limited` if the rate that this process last saw is used up; makes no call."""
        ...


class KeyUseRecorder(Protocol):
    """Port: recorder of the last use of keys."""

    def __call__(self, key: "ApiKey", now: dt.datetime, /) -> Callable[[], object]:
        """Start to record a use; returns a function that waits until it is recorded."""
        ...


class RequestServices(Protocol):
    """Part of bootstrap's services that the edge uses; views use all of them."""

    @property
    def traces(self) -> bool: ...  # noqa: D102
    @property
    def clock(self) -> Clock: ...  # noqa: D102
    @property
    def ids(self) -> IdGenerator: ...  # noqa: D102
    @property
    def keys(self) -> KeyLookup: ...  # noqa: D102
    @property
    def workspaces(self) -> WorkspaceLookup: ...  # noqa: D102
    @property
    def limits(self) -> AdmissionRateLimiter: ...  # noqa: D102

    @property
    def request_rate(self) -> RequestRateLimiter: ...  # noqa: D102
    @property
    def record_key_use(self) -> KeyUseRecorder: ...  # noqa: D102

    @property
    def api_host(self) -> str:
        """Return the URL of the API without `/v1`."""
        ...

    @property
    def trusted_proxies(self) -> TrustedProxies:
        """Return the proxies whose `X-Forwarded-For` counts."""
        ...

    @property
    def signing_keys(self) -> Sequence[bytes]:
        """Return the keys that verify list cursors; the first one signs."""
        ...

    @property
    def checks(self) -> Mapping[str, Callable[[], bool]]:
        """Return the checks of `/healthz` by name.

        A check returns False where its part is missing, and raises where it fails.
        """
        ...
