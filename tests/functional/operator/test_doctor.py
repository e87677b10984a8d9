"""`platen doctor` of a service: its state, and the providers of its workspaces."""

import json
from typing import Any

import pytest

from infra.operator.doctor import providers
from tests.builders.email_connections import made_connection
from tests.builders.operator import OperatorTool
from tests.builders.service import Service
from tests.builders.storage_destinations import made_destination


def rows(tool: OperatorTool, *checks: str) -> tuple[int, dict[str, dict[str, Any]]]:
    done = tool.run("doctor", *checks, "--json")
    return done.exit_code, {row["check"]: row for row in json.loads(done.stdout)["data"]}


@pytest.fixture
def used(tool: OperatorTool, service: Service) -> OperatorTool:
    tool.use_service(service.settings.main_table, service.resources)
    return tool


def test_a_service_whose_parts_answer_is_well(used: OperatorTool) -> None:
    code, found = rows(used, "state")

    assert code == 0
    assert {name: row["status"] for name, row in found.items()} == dict.fromkeys(
        ("table: main", "table: transient", "bucket", "queues"), "ok"
    )


@pytest.mark.parametrize(
    ("variable", "check"),
    [
        ("PLATEN_MAIN_TABLE", "table: main"),
        ("PLATEN_TRANSIENT_TABLE", "table: transient"),
        ("PLATEN_BUCKET", "bucket"),
        ("PLATEN_RENDERS_QUEUE_URL", "queues"),
    ],
)
def test_a_part_that_is_not_there_is_the_only_finding(
    used: OperatorTool, monkeypatch: pytest.MonkeyPatch, variable: str, check: str
) -> None:
    monkeypatch.setenv(variable, "platen-absent")

    code, found = rows(used, "state")
    assert code == 1
    assert {name for name, row in found.items() if row["status"] == "error"} == {check}
    assert found[check]["advice"]


def test_each_configured_provider_is_connected_to_once(
    used: OperatorTool, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[str, int]] = []

    def reach(address: tuple[str, int]) -> str | None:
        asked.append(address)
        return "No route to host" if address[0] == "sftp.example.com" else None

    monkeypatch.setattr(providers, "_unreachable", reach)
    monkeypatch.setenv("PLATEN_SMTP_URL", "smtps://user:secret@mail.example.com")
    made_connection(service)
    made_connection(service, provider="ses", config={"region": "eu-west-1"})
    made_destination(service, "sftp")
    made_destination(service, "sftp", name="Second")

    done = used.run("doctor", "providers", "--json")
    findings = json.loads(done.stdout)["data"]
    assert done.exit_code == 1
    assert sorted(asked) == [
        ("email.eu-west-1.amazonaws.com", 443),
        ("mail.example.com", 465),
        ("sftp.example.com", 22),
        ("smtp.example.com", 587),
    ]
    (broken,) = [row for row in findings if row["status"] == "error"]
    assert "sftp.example.com:22, of dst_" in broken["detail"]
    assert "and 1 more: No route to host" in broken["detail"]
    assert "secret" not in done.stdout
