"""Endpoints that fail for five days: disabled, and a mail to the owners."""

import datetime as dt
from collections.abc import Sequence

import pytest

from chalicelib.adapters.net.smtp import MailFailedError, SmtpMailer
from tests.builders.service import Service
from tests.builders.webhooks import ENDPOINTS_PATH, deliver, make_endpoint
from tests.fakes.webhook_receiver import WebhookReceiver

type Sent = list[tuple[Sequence[str], str, str]]


@pytest.fixture
def sent(service: Service, monkeypatch: pytest.MonkeyPatch) -> Sent:
    """Capture outgoing mail."""
    letters: Sent = []
    monkeypatch.setattr(SmtpMailer, "__call__", lambda _, *letter: letters.append(letter))
    service.smtp_url = "smtp://mail.test"
    owners = service.operator.manage_members
    owners.add(service.workspace, "ada@example.com", "owner")
    return letters


def fail_for(service: Service, receiver: WebhookReceiver, time: dt.timedelta) -> str:
    """Let an endpoint fail at the beginning and the end of a time; return its id."""
    receiver.status = 500
    endpoint_id: str = make_endpoint(service, receiver.url)["id"]
    service.render()
    deliver(service)
    service.clock.moment += time
    service.render()
    deliver(service)
    return endpoint_id


def work_off(service: Service) -> list[str]:
    service.clock.advance(seconds=1)
    service.tick()
    return service.run_maintenance()


def test_owners_get_one_mail(service: Service, receiver: WebhookReceiver, sent: Sent) -> None:
    endpoint_id = fail_for(service, receiver, dt.timedelta(days=5))
    assert service.call("GET", f"{ENDPOINTS_PATH}/{endpoint_id}").json["enabled"] is False

    assert work_off(service) == []
    service.clock.advance(minutes=10)
    assert work_off(service) == []

    ((recipients, subject, text),) = sent
    assert "ada@example.com" in recipients
    assert subject == "A webhook endpoint was disabled"
    assert endpoint_id in text
    assert receiver.url not in text


def test_endpoint_that_fails_a_shorter_time_stays(
    service: Service, receiver: WebhookReceiver, sent: Sent
) -> None:
    endpoint_id = fail_for(service, receiver, dt.timedelta(days=5, milliseconds=-1))

    assert work_off(service) == []

    assert service.call("GET", f"{ENDPOINTS_PATH}/{endpoint_id}").json["enabled"] is True
    assert sent == []


def test_success_in_between_counts_anew(
    service: Service, receiver: WebhookReceiver, sent: Sent
) -> None:
    endpoint_id = fail_for(service, receiver, dt.timedelta(days=4))
    receiver.statuses = [200]
    service.render()
    deliver(service)
    service.clock.advance(days=4)
    service.render()
    deliver(service)

    assert work_off(service) == []

    assert service.call("GET", f"{ENDPOINTS_PATH}/{endpoint_id}").json["enabled"] is True
    assert sent == []


def test_endpoint_that_is_enabled_before_the_mail_gets_none(
    service: Service, receiver: WebhookReceiver, sent: Sent
) -> None:
    endpoint_id = fail_for(service, receiver, dt.timedelta(days=5))
    path = f"{ENDPOINTS_PATH}/{endpoint_id}"
    service.call("PATCH", path, json_body={"enabled": True})

    assert work_off(service) == []

    assert sent == []
    assert service.tick() == 0


def test_failing_mail_server_is_retried(
    service: Service, receiver: WebhookReceiver, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters: list[object] = []

    def fail_once(_: object, *letter: object) -> None:
        letters.append(letter)
        if len(letters) == 1:
            raise MailFailedError(OSError(), None)

    monkeypatch.setattr(SmtpMailer, "__call__", fail_once)
    fail_for(service, receiver, dt.timedelta(days=5))
    assert len(work_off(service)) == 1

    service.clock.advance(minutes=10)
    assert work_off(service) == []

    assert len(letters) == 2
    assert sent == []


@pytest.mark.parametrize("what", ["success", "PATCH"])
def test_endpoint_that_recovers_during_its_last_failure_stays(
    service: Service, receiver: WebhookReceiver, sent: Sent, what: str
) -> None:
    endpoint_id = fail_for(service, receiver, dt.timedelta(days=5, milliseconds=-1))
    path = f"{ENDPOINTS_PATH}/{endpoint_id}"

    recovered = []

    def recover() -> None:
        recovered.append(what)
        if what == "PATCH":
            service.call("PATCH", path, json_body={"enabled": True})
            return
        receiver.statuses = [200]
        service.call("POST", f"{path}/test", json_body={"event": "render.failed"})
        service.deliver_webhooks()

    service.clock.advance(seconds=1)
    service.render()
    service.relay_events()
    receiver.before_answer = recover
    service.deliver_webhooks()

    assert recovered == [what]
    assert service.call("GET", path).json["enabled"] is True
    assert work_off(service) == []
    assert sent == []
