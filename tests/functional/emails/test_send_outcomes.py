"""Sends whose functions die, whose cap is reached, or that changes meanwhile end."""

from typing import Any

import pytest

from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import RenderedEmail
from tests.builders.email_connections import SMTP, use_plan
from tests.builders.email_sends import (
    RULE_ID,
    connect,
    deliver_emails,
    email_counts,
    hand_out_later,
    render_with_emails,
    send_emails,
    sends,
    switch_rule,
)
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.fakes.email_provider import (
    ACCEPTED,
    FakeProvider,
)


def test_function_that_died_before_the_hand_over_sends_again(
    service: Service, fake_provider: FakeProvider
) -> None:
    render_with_emails(service, connect(service))
    fake_provider.before = [FunctionKilled()]
    service.relay_events()
    with pytest.raises(FunctionKilled):
        send_emails(service, fake_provider)
    assert sends(service)[0]["status"] == "sending"

    for _ in range(5):
        hand_out_later(service, minutes=1)
        send_emails(service, fake_provider)

    assert sends(service)[0]["status"] == "sent"
    assert len(fake_provider.accepted) == 1


def test_function_that_died_after_the_hand_over_is_never_repeated(
    service: Service, fake_provider: FakeProvider
) -> None:
    render = render_with_emails(service, connect(service))
    fake_provider.answers = [FunctionKilled()]
    service.relay_events()
    with pytest.raises(FunctionKilled):
        send_emails(service, fake_provider)

    for _ in range(8):
        hand_out_later(service, minutes=1)
        send_emails(service, fake_provider)

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("unknown", "email_outcome_unknown")
    assert len(fake_provider.attempts) == 1
    assert email_counts(service, render) == {"unknown": 1}


def test_recipients_beyond_the_daily_cap_are_refused(
    service: Service, fake_provider: FakeProvider
) -> None:
    many = tuple(Mailbox(f"a{number}@example.com") for number in range(50))
    email = RenderedEmail(is_wanted=True, to=many, subject="Many", text="Hello")
    connection = connect(service, config=SMTP | {"max_per_second": 100})
    for _ in range(4):
        render_with_emails(service, connection, [email] * 5)
        deliver_emails(service, fake_provider)
    assert service.call("GET", "/v1/email-sends/stats").json["today"]["recipients"] == 1_000

    service.clock.advance(seconds=1)
    render_with_emails(service, connection)
    deliver_emails(service, fake_provider)

    send = sends(service)[0]
    assert (send["status"], send["error"]["code"]) == ("failed", "email_daily_cap_reached")
    assert len(fake_provider.accepted) == 20
    assert service.call("GET", "/v1/email-sends/stats").json["today"]["recipients"] == 1_000
    service.clock.advance(days=1)
    render_with_emails(service, connection)
    deliver_emails(service, fake_provider)
    assert sends(service)[0]["status"] == "sent"


def _switch_rule_off(service: Service, _render: dict[str, Any]) -> None:
    switch_rule(service, enabled=False, rule_id=RULE_ID[:-1] + "0")


def _leave_plan(service: Service, _render: dict[str, Any]) -> None:
    use_plan(service, "starter")


def _purge(service: Service, render: dict[str, Any]) -> None:
    service.call("DELETE", f"/v1/renders/{render['id']}/files")


def _suspend(service: Service, _render: dict[str, Any]) -> None:
    service.operator.change_status.suspend(service.workspace)


@pytest.mark.parametrize(
    ("change", "status", "code"),
    [
        (_switch_rule_off, "failed", "email_disabled"),
        (_leave_plan, "failed", "email_disabled"),
        (_purge, "canceled", None),
        (_suspend, "canceled", None),
    ],
)
def test_changes_meanwhile_end_an_email(
    service: Service, fake_provider: FakeProvider, change: Any, status: str, code: str | None
) -> None:
    render = render_with_emails(service, connect(service))
    service.relay_events()
    change(service, render)

    send_emails(service, fake_provider)
    if change is _suspend:
        service.operator.change_status.restore(service.workspace)

    (send,) = sends(service)
    assert (send["status"], (send["error"] or {}).get("code")) == (status, code)
    assert fake_provider.attempts == []
    assert email_counts(service, render) == {status: 1}


def test_connection_without_credentials_fails_and_tells(
    service: Service, fake_provider: FakeProvider
) -> None:
    connection = connect(service, credentials=None)
    render_with_emails(service, connection)

    deliver_emails(service, fake_provider)

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("failed", "email_credentials_removed")
    shown = service.call("GET", f"/v1/email-connections/{connection['id']}").json
    assert shown["status"] == "failing"
    assert shown["last_error"]["code"] == "email_credentials_removed"
    # Once it has credentials, the next email makes it active.
    service.call(
        "PATCH",
        f"/v1/email-connections/{connection['id']}",
        json_body={"credentials": {"password": "p"}},
    )
    render_with_emails(service, connection)
    deliver_emails(service, fake_provider)
    shown = service.call("GET", f"/v1/email-connections/{connection['id']}").json
    assert (shown["status"], shown["last_error"]) == ("active", None)
    assert len(fake_provider.accepted) == 1
    assert ACCEPTED.result == "accepted"
