"""In-memory services for the API layer."""

import datetime as dt
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.core.errors import ServiceError
from chalicelib.core.ids import KeyId, WorkspaceId
from chalicelib.core.trusted_proxies import TrustedProxies
from chalicelib.features.workspaces.keys import key_format
from chalicelib.features.workspaces.keys.model import SCOPES, ApiKey, StoredSecret
from chalicelib.features.workspaces.limits.model import RateState
from chalicelib.features.workspaces.model import Mode, Workspace
from infra.local.paths import INSTALL_DIR

NOW = dt.datetime(2026, 11, 21, 12, 0, tzinfo=dt.UTC)


class FixedClock:
    """Clock that stands still until it is advanced."""

    def __init__(self) -> None:
        self.moment = NOW

    def now(self) -> dt.datetime:
        return self.moment

    def advance(self, **time: float) -> None:
        self.moment += dt.timedelta(**time)


class CountedIds:
    """Id generator that counts."""

    def __init__(self) -> None:
        self._numbers = itertools.count(1)

    def new(self, prefix: str, _moment: dt.datetime) -> str:
        return f"{prefix}_{next(self._numbers):026d}"


class FakeKeys(dict[str, ApiKey]):
    """Keys by id."""

    def find_with_workspace(self, key_id: KeyId) -> tuple[ApiKey | None, None]:
        return self.get(key_id), None


class FakeRateLimit:
    """Allows a number of requests, then refuses."""

    def __init__(self) -> None:
        self.left = 100

    def count(self, workspace: Workspace, _now: dt.datetime) -> RateState:
        if self.left == 0:
            raise ServiceError("rate_limited", "Too many.", headers={"Retry-After": "3"})
        self.left -= 1
        return RateState(workspace.plan.rate_limit_rps, self.left, 2)

    count_creation = count

    def require_known_rate(self, _workspace: Workspace, _now: dt.datetime) -> None:
        """Allow: the fake caches no rate."""


@dataclass
class FakeApiServices:
    """The services that chalicelib.api uses."""

    clock: FixedClock = field(default_factory=FixedClock)
    ids: CountedIds = field(default_factory=CountedIds)
    keys: FakeKeys = field(default_factory=FakeKeys)
    workspaces: dict[WorkspaceId, Workspace] = field(default_factory=dict)
    limits: FakeRateLimit = field(default_factory=FakeRateLimit)
    api_host: str = "http://api.test"
    pages_dir: str = str(INSTALL_DIR / "pages")
    traces: bool = False
    trusted_proxies: TrustedProxies = field(default_factory=lambda: TrustedProxies(""))
    guides_dir: str = str(INSTALL_DIR / "guides")
    console_dir: str = str(INSTALL_DIR / "console")
    file_hosts: tuple[str, str] = ("https://files.test", "https://bucket.test")
    signing_keys: Sequence[bytes] = (b"k" * 32,)
    checks: Mapping[str, Callable[[], Any]] = field(default_factory=dict)

    @property
    def request_rate(self) -> FakeRateLimit:
        return self.limits

    def record_key_use(self, _key: ApiKey, _now: dt.datetime) -> Callable[[], object]:
        return lambda: None

    def workspace(self, **fields: Any) -> Workspace:
        """Add a workspace."""
        defaults: dict[str, Any] = {
            "id": WorkspaceId(f"ws_{len(self.workspaces):026d}"),
            "name": "Acme",
            "plan_code": "free",
            "status": "active",
            "owner_email": None,
            "owner_verified": True,
            "regions": ("eu",),
            "allow_ips": (),
            "created_at": "2026-01-01T00:00:00.000Z",
        }
        made = Workspace(**(defaults | fields))
        self.workspaces[made.id] = made
        return made

    def key(self, workspace: Workspace | None = None, mode: Mode = "test", **fields: Any) -> str:
        """Add a key and return its text."""
        made = key_format.generate(mode)
        defaults: dict[str, Any] = {
            "id": KeyId(made.key_id),
            "workspace_id": (workspace or self.workspace()).id,
            "mode": mode,
            "name": "",
            "scopes": frozenset(SCOPES),
            "secrets": (StoredSecret(made.sha256_hex),),
            "created_at": "2026-01-01T00:00:00.000Z",
        }
        self.keys[made.key_id] = ApiKey(**(defaults | fields))
        return made.text
