"""Credentials of connections after a change to a plan without email."""

from typing import Any

import pytest

from tests.builders.email_connections import (
    PATH,
    change_connection,
    made_connection,
    run_test,
    smtp_connection,
    use_plan,
)
from tests.builders.email_sends import connect, deliver_emails, render_with_emails, sends
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.fakes.email_provider import FakeProvider
from tests.fakes.submission_server import SubmissionServer


def shown(service: Service, connection: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = service.call("GET", f"{PATH}/{connection['id']}").json
    return read


def wait(service: Service, **time: float) -> None:
    """Let time pass, and do what is due."""
    service.clock.advance(**time)
    service.process_due()


def sealed(service: Service, connection: dict[str, Any]) -> Any:
    """Return what the row of a connection has of its credentials."""
    pk = f"WS#{service.workspace}#EMC"
    row = service.main_table.get(pk, connection["id"])
    assert row is not None
    return row["sealed_credentials"]


def test_credentials_go_thirty_days_after_the_downgrade(service: Service) -> None:
    connection = connect(service)
    assert connection["credentials_delete_at"] is None
    service.clock.advance(hours=1)

    use_plan(service, "starter")

    announced = shown(service, connection)
    assert announced["credentials_delete_at"] == "2026-12-21T13:00:00.000Z"
    wait(service, days=30, seconds=-1)
    kept = shown(service, connection)
    assert kept == announced
    assert kept["credentials"] == {"configured": True}
    wait(service, seconds=1)
    assert sealed(service, connection) is None
    removed = shown(service, connection)
    assert removed == announced | {
        "credentials": {"configured": False},
        "credentials_delete_at": None,
    }


@pytest.mark.parametrize("plan", ["growth", "scale"])
def test_plan_with_email_in_time_keeps_them(service: Service, plan: str) -> None:
    connection = connect(service)
    use_plan(service, "starter")
    wait(service, days=29)

    use_plan(service, plan)

    wait(service, days=40)
    assert shown(service, connection) == connection


def test_each_downgrade_has_its_own_time(service: Service) -> None:
    connection = connect(service)
    use_plan(service, "starter")
    wait(service, days=29)
    use_plan(service, "growth")
    use_plan(service, "free")

    wait(service, days=29)
    assert shown(service, connection)["credentials"] == {"configured": True}
    wait(service, days=1)
    assert shown(service, connection)["credentials"] == {"configured": False}


def test_plans_without_email_change_nothing_more(service: Service) -> None:
    connection = connect(service)
    use_plan(service, "starter")
    announced = shown(service, connection)
    wait(service, days=10)

    use_plan(service, "free")

    assert shown(service, connection) == announced


def test_connection_without_credentials_has_nothing_to_delete(service: Service) -> None:
    connection = made_connection(service)

    use_plan(service, "starter")

    assert shown(service, connection) == connection


def test_emails_fail_until_there_are_new_credentials(
    service: Service, fake_provider: FakeProvider
) -> None:
    connection = connect(service)
    use_plan(service, "starter")
    wait(service, days=31)
    use_plan(service, "growth")
    render_with_emails(service, connection)
    deliver_emails(service, fake_provider)
    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("failed", "email_credentials_removed")
    assert shown(service, connection)["last_error"]["code"] == "email_credentials_removed"

    changed = change_connection(service, connection, credentials={"password": "new"})

    assert changed.json["credentials"] == {"configured": True}
    service.clock.advance(seconds=1)
    render_with_emails(service, connection)
    deliver_emails(service, fake_provider)
    assert sends(service)[0]["status"] == "sent"
    assert fake_provider.credentials == [{"password": "new"}]
    assert shown(service, connection)["status"] == "active"


@pytest.mark.usefixtures("reachable")
def test_test_says_that_the_credentials_are_gone(
    service: Service, server: SubmissionServer
) -> None:
    connection = smtp_connection(service)
    use_plan(service, "starter")
    wait(service, days=31)
    use_plan(service, "growth")

    failed = run_test(service, connection).json

    assert (failed["ok"], failed["steps"][-1]["name"]) == (False, "smtp_auth")
    assert failed["connection"]["last_error"]["code"] == "email_credentials_removed"
    assert server.mails == []
    change_connection(service, connection, credentials={"password": "p"})
    assert run_test(service, connection).json["ok"] is True


def test_change_of_the_plan_that_fails_schedules_nothing(service: Service) -> None:
    connection = connect(service)
    service.kill_before_commit = True
    with pytest.raises(FunctionKilled):
        use_plan(service, "starter")

    assert shown(service, connection) == connection


def test_deleted_connection_is_not_missed(service: Service) -> None:
    connection = connect(service)
    use_plan(service, "starter")
    service.clock.advance(days=31)
    service.tick()
    assert service.call("DELETE", f"{PATH}/{connection['id']}").status == 204

    assert service.run_maintenance() == []
