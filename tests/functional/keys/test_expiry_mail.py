"""Mail to the owners 14 days and 1 day before a key expires."""

import datetime as dt
import json
from collections.abc import Sequence

import pytest

from chalicelib.adapters.net.smtp import MailFailedError, SmtpMailer
from chalicelib.core.ids import WorkspaceId
from tests.builders.service import Service

type Sent = list[tuple[Sequence[str], str, str]]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Capture outgoing mail."""
    letters: Sent = []
    monkeypatch.setattr(SmtpMailer, "__call__", lambda _, *letter: letters.append(letter))
    return letters


@pytest.fixture
def workspace(service: Service) -> WorkspaceId:
    service.smtp_url = "smtp://mail.test"
    made = service.operator.create_workspace(
        "Mine", owner="ada@example.com", plan="pro", regions=["eu"]
    )
    service.operator.manage_members.add(made.id, "bob@example.com", "owner")
    service.operator.manage_members.add(made.id, "eve@example.com", "developer")
    return made.id


def expiring(service: Service, workspace: WorkspaceId, days: float) -> str:
    """Create a key that expires after `days`; return its id."""
    ends = service.clock.now() + dt.timedelta(days=days)
    return service.key("live", workspace, expires_at=ends).split("_")[2]


def wait(service: Service, **time: float) -> None:
    service.clock.advance(**time)
    service.tick()
    assert service.run_maintenance() == []


def test_owners_are_warned_twice(service: Service, workspace: WorkspaceId, sent: Sent) -> None:
    key_id = expiring(service, workspace, 20)
    wait(service, days=5, hours=23)
    assert sent == []

    wait(service, hours=1)
    wait(service, hours=1)
    wait(service, days=11)
    assert len(sent) == 1
    wait(service, days=2)
    wait(service, hours=2)
    wait(service, days=9)

    assert [subject for _, subject, _ in sent] == [
        "An API key expires in 14 days",
        "An API key expires tomorrow",
    ]
    to, _, text = sent[0]
    assert list(to) == ["ada@example.com", "bob@example.com"]
    assert f"key_{key_id}" in text
    assert "2026-12-11T12:00:00.000Z" in text


@pytest.mark.parametrize(("days", "mails"), [(14.1, 2), (13.9, 1), (1.1, 1), (0.9, 0)])
def test_warning_already_past_at_creation_is_not_sent(
    service: Service, workspace: WorkspaceId, sent: Sent, days: float, mails: int
) -> None:
    expiring(service, workspace, days)

    for _ in range(20):
        wait(service, days=0.8)

    assert len(sent) == mails


def test_revoked_key_sends_no_warning(service: Service, workspace: WorkspaceId, sent: Sent) -> None:
    service.operator.manage_keys.revoke(expiring(service, workspace, 20))

    wait(service, days=7)
    wait(service, days=12.5)

    assert sent == []
    assert service.tick() == 0


def test_failing_mail_server_is_retried(
    service: Service, workspace: WorkspaceId, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def fails(_: object, *letter: object) -> None:
        asked.append(letter)
        if len(asked) == 1:
            raise MailFailedError(OSError(), None)

    monkeypatch.setattr(SmtpMailer, "__call__", fails)
    expiring(service, workspace, 20)
    service.clock.advance(days=7)
    service.tick()
    assert len(service.run_maintenance()) == 1

    wait(service, minutes=10)

    assert len(asked) == 2


def test_duplicate_message_warns_once(service: Service, workspace: WorkspaceId, sent: Sent) -> None:
    key_id = expiring(service, workspace, 20)
    wait(service, days=7)

    for _ in range(2):
        service.send(
            "Maintenance", json.dumps({"v": 1, "kind": "key", "pk": f"KEY#{key_id}", "sk": "META"})
        )
        assert service.run_maintenance() == []

    assert len(sent) == 1
    wait(service, days=12, hours=1)
    assert len(sent) == 2


def test_message_for_a_missing_key_is_a_dead_letter(service: Service) -> None:
    service.send("Maintenance", json.dumps({"v": 1, "kind": "key", "pk": "KEY#none", "sk": "META"}))

    assert service.run_maintenance() == []
    assert service.record_dead_letters("Maintenance") == []

    (letter,) = service.dead_letters("Maintenance")
    assert letter.reason == "there is no key none"


def test_key_of_an_earlier_release_warns_after_its_next_use(
    service: Service, workspace: WorkspaceId, sent: Sent
) -> None:
    ends = service.clock.now() + dt.timedelta(days=20)
    key = service.key("live", workspace, expires_at=ends)
    service.clients.dynamodb.update_item(
        TableName=service.settings.main_table,
        Key={"PK": {"S": f"KEY#{key.split('_')[2]}"}, "SK": {"S": "META"}},
        UpdateExpression="REMOVE due_at, DPK",
    )
    wait(service, days=5)
    assert service.call("GET", "/v1/account", key=key).status == 200
    wait(service, days=1.1)
    assert service.call("GET", "/v1/account", key=key).status == 200
    wait(service, days=12.95)

    assert [subject for _, subject, _ in sent] == [
        "An API key expires in 14 days",
        "An API key expires tomorrow",
    ]
