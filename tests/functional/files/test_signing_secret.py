"""Versions of the signing secret: links and cursors survive its roll until they expire."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from chalicelib.adapters.aws.table import Throttled
from chalicelib.bootstrap.api import ApiServices
from chalicelib.core.ids import RandomIdGenerator
from infra.operator import connection
from tests.builders.operator import OperatorTool
from tests.builders.service import Service

WEEK_S = 604_800


@pytest.fixture(autouse=True)
def _clock(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "SystemClock", lambda: service.clock)


def roll(tool: OperatorTool) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = tool.json("service", "roll-signing-secret")["data"]
    return rows


def file_path(service: Service) -> str:
    render = service.render(delivery={"expires_in": WEEK_S, "retention_days": 30}).json
    parts = urlsplit(render["files"][0]["url"])
    return f"{parts.path}?{parts.query}"


def code(service: Service, path: str) -> str:
    answer = service.call("GET", path, key=None)
    return "" if answer.status == 302 else answer.code


def restart(service: Service) -> None:
    """Replace the API function's process by a new one, which has read nothing yet."""
    service.services = ApiServices(
        service.settings, service.clients, clock=service.clock, ids=RandomIdGenerator()
    )


def test_link_of_the_former_version_is_valid_until_it_expires(
    service: Service, tool: OperatorTool
) -> None:
    before = file_path(service)
    rows = roll(tool)
    assert [(row["version"], row["signs_from"]) for row in rows] == [
        (2, "2026-11-21T12:10:00.000Z"),
        (1, "0001-01-01T00:00:00.000Z"),
    ]
    service.clock.advance(minutes=10)
    after = file_path(service)

    assert [code(service, path) for path in (before, after)] == ["", ""]
    restart(service)
    assert [code(service, path) for path in (before, after)] == ["", ""]
    service.clock.advance(days=6, hours=23)
    assert [code(service, path) for path in (before, after)] == ["", ""]
    service.clock.advance(hours=2)
    assert code(service, before) == "invalid_signature"


def test_new_links_need_the_new_version(service: Service, tool: OperatorTool) -> None:
    old = service.services.signing_keys
    roll(tool)
    service.clock.advance(minutes=6)
    known = service.services.signing_keys
    service.clock.advance(minutes=5)
    rolled = service.services.signing_keys

    # First every process verifies with the new version, then it signs.
    assert known[0] == old[0] == rolled[1]
    assert known[1] == rolled[0] != old[0]
    service.clock.advance(days=7)
    assert service.services.signing_keys == rolled[:1]


def test_cursor_of_the_former_version_goes_on(service: Service, tool: OperatorTool) -> None:
    for _ in range(2):
        service.render()
    cursor = service.call("GET", "/v1/renders?limit=1").json["next_cursor"]
    roll(tool)
    service.clock.advance(minutes=11)

    rest = service.call("GET", f"/v1/renders?limit=1&cursor={cursor}")

    assert (rest.status, len(rest.json["data"])) == (200, 1)


def test_secret_is_not_rolled_too_often(service: Service, tool: OperatorTool) -> None:
    path = file_path(service)
    rolled = [roll(tool) for _ in range(4)]
    assert [row["version"] for row in rolled[-1]] == [5, 4, 3, 2, 1]

    assert tool.refusal("service", "roll-signing-secret")[0] == "conflict"
    service.clock.advance(minutes=10)
    assert code(service, path) == ""
    service.clock.advance(days=7)
    assert [row["version"] for row in roll(tool)] == [6, 5]


def test_outage_of_secrets_manager_keeps_the_known_versions(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = file_path(service)
    restart(service)
    assert code(service, path) == ""

    def refuse(**_: object) -> None:
        raise Throttled

    monkeypatch.setattr(service.clients.secretsmanager, "get_secret_value", refuse)
    service.clock.advance(minutes=6)

    assert code(service, path) == ""
