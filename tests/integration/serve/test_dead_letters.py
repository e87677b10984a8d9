"""What failed all of its attempts ends with its code, also if everything was killed meanwhile."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.adapters.aws.messages import MAX_RECEIVE_COUNT
from chalicelib.core.crash_points import CrashPoint
from infra.local.running_stack import RunningStack
from infra.serve.running_server import RunningServer, running_server
from tests.builders.stack.api_client import ApiClient
from tests.builders.stack.stores import StackStores
from tests.builders.waiting import eventually

pytestmark = [pytest.mark.integration, pytest.mark.breadth]


@pytest.fixture
def points(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of armed crash points."""
    folder: Path = tmp_path_factory.mktemp("points")
    # The render function runs as another user where the tests run as root.
    folder.chmod(0o777)
    return folder


@pytest.fixture
def server(points: Path, tmp_path: Path) -> Iterator[RunningServer]:
    # A crash point ends a process, which must be that of its invocation alone.
    variables = {"PLATEN_CRASH_POINTS": str(points), "PLATEN_LOCAL_PROCESSES": "invocation"}
    with running_server(tmp_path / "data", **variables) as server:
        yield server


class Killer:
    """Ends the process of each attempt at a render."""

    def __init__(self, points: Path) -> None:
        self._file = points / str(int(CrashPoint.RENDER_BEGUN))
        self.deaths = 0
        self._arm()

    def kill_again(self) -> bool:
        """Be ready for the next attempt; tell whether one has ended since."""
        has_killed = not self._file.exists()
        if has_killed:
            self.deaths += 1
            self._arm()
        return has_killed

    def stop(self) -> None:
        self._file.unlink()

    def _arm(self) -> None:
        self._file.write_text("1", encoding="utf-8")


def letters(tenant: RunningStack, render: str) -> list[str]:
    stores = StackStores(tenant)
    rows = stores.scan(stores.transient_table)
    return [
        str(row["outcome"])
        for row in rows
        if str(row["PK"]).startswith("DLQ#") and render in str(row.get("body"))
    ]


def test_a_render_that_kills_its_function_ends(
    server: RunningServer, tenant: RunningStack, points: Path
) -> None:
    killer = Killer(points)
    with ApiClient(tenant, tenant.live_key) as client:
        render = client.render(mode="async").raise_for_status().json()["id"]
    # Killed in the middle of the attempts, and at the last one, before its dead letter is read.
    for deaths in (2, MAX_RECEIVE_COUNT):
        until = killer.deaths + deaths
        eventually(lambda until=until: killer.kill_again() and killer.deaths == until)  # type: ignore[misc]
        tenant = server.restart_after_kill(tenant)

    with ApiClient(tenant, tenant.live_key) as client:

        def is_over() -> bool:
            killer.kill_again()
            return bool(client.get(render)["status"] == "failed")

        eventually(is_over, pause_s=0.05)
        killer.stop()
        ended = client.get(render)
        assert (ended["error"]["code"], ended["billed"]) == ("render_lost", False)
        eventually(lambda: letters(tenant, render), pause_s=0.2)
        assert letters(tenant, render) == ["the render ended as failed: render_lost"]
        assert client.render().status_code == 200
        eventually(lambda: client.http.get("/account").json()["renders"]["used"] == 1, pause_s=0.5)
