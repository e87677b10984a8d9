"""Kills functions over signed links: the way to their crash points, and the invariants."""

import hashlib
import hmac
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

import httpx

from chalicelib.adapters.aws.table import Row
from chalicelib.core.crash_points import CrashPoint
from tests.builders.crash.stack import CrashStack
from tests.builders.crash.workspace import CrashWorkspace

# The first and the last crash point of links.
FIRST_LINK_POINT: Final = CrashPoint.LINK_CLAIMED
LAST_LINK_POINT: Final = CrashPoint.LINK_ERASED
_HTML: Final = "<p>{% if bad %}{{ 1 // 0 }}{% endif %}{{ n }}"


class CrashLinks(CrashWorkspace):
    """A workspace with a link of a template that fails if `bad` has a value."""

    def __init__(self, stack: CrashStack) -> None:
        """Create the workspace and its link."""
        super().__init__(stack)
        self._files = stack.open_files()
        template = {"name": "T", "html": _HTML, "publish": True}
        made = self.call("POST", "/templates", json=template)
        body = {"name": "L", "template_id": made["id"], "quota_total": 5}
        self.link = self.call("POST", "/signed-links", json=body)
        self.path = f"/signed-links/{self.link['id']}"

    def fetch(self, query: str = "n=1") -> httpx.Response:
        """Send a request of the link's URL."""
        target = f"/l/{self.link['id']}/a.png?{query}"
        key = self.link["secret"].encode()
        sig = hmac.new(key, target.encode(), hashlib.sha256).hexdigest()
        return self._files.get(f"{target}&sig={sig}")

    def fetch_killed(self, point: CrashPoint, query: str = "n=1", hits: str = "1") -> None:
        """Send a request during which a function dies at a crash point; ignore the answer."""
        armed = self.arm(point, hits)
        with suppress(httpx.TransportError):
            self.fetch(query)
        self.await_kill(armed)

    def own_rows(self) -> list[Row]:
        """Return the rows of the link and its URLs."""
        return self.stores.partition(f"LNK#{self.link['id']}")

    def faults(self, statuses: list[str]) -> Iterator[str]:
        """Yield open work, and the broken invariants, unless the renders have ended so."""
        ended = sorted(row["status"] for row in self._renders())
        if ended != sorted(statuses):
            yield f"renders {ended}"
        for row in self.rows():
            if row["SK"].startswith("EVENT#") and "published_at" not in row:
                yield f"{row['type']} is not published"
        succeeded = statuses.count("succeeded")
        if self.tenant.limit_counts != (succeeded, 0, 0):
            yield f"limits {self.tenant.limit_counts}"
        (used,) = [row["quota_used"] for row in self.own_rows() if row["SK"] == "META"]
        if used != succeeded:
            yield f"quota_used {used}"

    def _renders(self) -> list[Row]:
        ids = self.stores.renders(self.workspace)
        return [self.tenant.row(render_id) for render_id in ids]
