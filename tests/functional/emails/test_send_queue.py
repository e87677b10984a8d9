"""Rate of a connection, repeats of sends, dead letters, and lists of sends."""

import datetime as dt
from collections.abc import Sequence
from contextlib import nullcontext
from typing import Any, Final

import pytest

from chalicelib.adapters.aws.table import Table
from chalicelib.api.edge import idempotency
from chalicelib.core.crash_points import CrashPoint
from chalicelib.core.ids import WorkspaceId
from chalicelib.engine.delivery.emails import RenderedEmail
from chalicelib.features.emails.sends.rate.repository import SendRate
from functions.send_email import handler
from tests.builders.batches import batch_at, make_batch
from tests.builders.email_connections import SMTP
from tests.builders.email_sends import (
    EMAIL,
    SENDS_PATH,
    add_emails,
    connect,
    deliver_emails,
    email_counts,
    render_with_emails,
    send_emails,
    sends,
)
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.fakes.email_provider import NO_ANSWER, REJECTED, FakeProvider

NO_EMAILS: Final = dict.fromkeys(("sent", "failed", "unknown", "pending", "skipped", "canceled"), 0)


def resend(service: Service, send: dict[str, Any], **more: Any) -> ApiAnswer:
    return service.call("POST", f"{SENDS_PATH}/{send['id']}/resend", json_body={}, **more)


def count_calls(monkeypatch: pytest.MonkeyPatch, name: str) -> list[Sequence[Any]]:
    """Return a list that gets the arguments of each call of this method of Table."""
    calls: list[Sequence[Any]] = []
    method = getattr(Table, name)

    def noted(table: Table, *arguments: Any) -> Any:
        calls.append(arguments)
        return method(table, *arguments)

    monkeypatch.setattr(Table, name, noted)
    return calls


def test_slots_of_a_connection_are_even_and_shared(service: Service) -> None:
    made = connect(service, config=SMTP | {"max_per_second": 4})
    connection = service.services.emails.connections.one(WorkspaceId(service.workspace), made["id"])
    table = service.main_table
    now = service.clock.now()

    waits = [SendRate(table).take_slot(connection, now) for _ in range(6)]
    later = SendRate(table).take_slot(connection, now + dt.timedelta(seconds=9))

    assert waits == [dt.timedelta(milliseconds=250 * number) for number in range(6)]
    assert later == dt.timedelta()


def test_slot_of_an_idle_connection_takes_one_write(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = connect(service)
    connection = service.services.emails.connections.one(service.workspace, made["id"])
    rate = SendRate(service.main_table)
    now, writes = service.clock.now(), count_calls(monkeypatch, "write")

    for seconds in range(3):
        rate.take_slot(connection, now + dt.timedelta(seconds=seconds))

    assert len(writes) == 3


def test_connection_is_read_once_while_emails_follow_each_other(
    service: Service, fake_provider: FakeProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = connect(service)
    serve = handler.build_with(service.work_parts("send_email"), {"smtp": fake_provider.open})
    reads = count_calls(monkeypatch, "get")

    for _ in range(3):
        render_with_emails(service, connection)
        assert service.relay_events() == []
        assert service.run_batch("Emails", serve) == []
        service.clock.advance(seconds=4)

    assert len(fake_provider.accepted) == 3
    assert [sort_key for *_, sort_key in reads].count(connection["id"]) == 1


def test_no_slot_is_taken_far_ahead(service: Service) -> None:
    made = connect(service, config=SMTP | {"max_per_second": 1})
    connection = service.services.emails.connections.one(service.workspace, made["id"])
    rate = SendRate(service.main_table)
    now = service.clock.now()

    waits = [rate.take_slot(connection, now) for _ in range(605)]

    assert waits[600] == dt.timedelta(minutes=10)
    assert waits[601:] == [None] * 4


def test_emails_beyond_the_rate_wait_in_the_queue(
    service: Service, fake_provider: FakeProvider
) -> None:
    connection = connect(service, config=SMTP | {"max_per_second": 1})
    render_with_emails(service, connection, [EMAIL] * 3)

    deliver_emails(service, fake_provider)
    assert len(fake_provider.accepted) == 1
    assert [send["status"] for send in sends(service)].count("pending") == 2
    for _ in range(4):
        service.clock.advance(minutes=2, seconds=1)
        service.tick()
        send_emails(service, fake_provider)

    assert len(fake_provider.accepted) == 3
    assert {send["status"] for send in sends(service)} == {"sent"}


@pytest.mark.parametrize(("answer", "status"), [(REJECTED, "failed"), (NO_ANSWER, "unknown")])
def test_resent_email_takes_the_place_of_the_old_one(
    service: Service, fake_provider: FakeProvider, answer: Any, status: str
) -> None:
    render = render_with_emails(service, connect(service))
    fake_provider.answers = [answer]
    deliver_emails(service, fake_provider)
    (old,) = sends(service)

    answered = resend(service, old)

    assert answered.status == 202
    new = answered.json
    assert (new["status"], new["resend_of"], new["subject"]) == (
        "pending",
        old["id"],
        old["subject"],
    )
    assert email_counts(service, render) == {"pending": 1}
    send_emails(service, fake_provider)
    again = service.call("GET", f"{SENDS_PATH}/{new['id']}").json
    assert (again["status"], again["attempts"]) == ("sent", 1)
    assert service.call("GET", f"{SENDS_PATH}/{old['id']}").json["status"] == status
    assert email_counts(service, render) == {"sent": 1}
    assert {send["id"] for send in sends(service, render_id=render["id"])} == {
        old["id"],
        new["id"],
    }
    # Statistics count both, since both were created.
    statistics = service.call("GET", "/v1/email-sends/stats").json["last_30_days"]
    assert (statistics[status], statistics["sent"]) == (1, 1)
    assert resend(service, old).code == "conflict"
    assert resend(service, again).status == 202


def test_what_cannot_be_resent(service: Service, fake_provider: FakeProvider) -> None:
    connection = connect(service)
    waiting = render_with_emails(service, connection)
    service.relay_events()
    (send,) = sends(service, render_id=waiting["id"])
    assert resend(service, send).code == "email_not_resendable"
    send_emails(service, fake_provider)

    service.call("DELETE", f"/v1/renders/{waiting['id']}/files")

    assert resend(service, send).code == "email_file_expired"
    assert resend(service, {"id": "ems_01HZZZZZZZZZZZZZZZZZZZZZZZ"}).status == 404
    reader = service.key("live", scopes=["renders:read"])
    assert resend(service, send, key=reader).code == "insufficient_scope"


@pytest.mark.parametrize(("phase", "status"), [("before", "failed"), ("answers", "unknown")])
def test_dead_letter_ends_an_email(
    service: Service, fake_provider: FakeProvider, phase: str, status: str
) -> None:
    render = render_with_emails(service, connect(service))
    getattr(fake_provider, phase).append(FunctionKilled())
    service.relay_events()
    message = service.clients.sqs.receive_message(
        QueueUrl=service.settings.emails_queue_url, VisibilityTimeout=0
    )["Messages"][0]["Body"]
    with pytest.raises(FunctionKilled):
        send_emails(service, fake_provider)
    service.clock.advance(minutes=5)
    service.clients.sqs.send_message(
        QueueUrl=service.resources["EmailsDeadLetters"]["Ref"], MessageBody=message
    )

    service.record_dead_letters("Emails")

    (send,) = sends(service)
    assert send["status"] == status
    assert email_counts(service, render) == {status: 1}
    send_emails(service, fake_provider)
    assert len(fake_provider.attempts) == 1


def test_lists_of_sends(service: Service, fake_provider: FakeProvider) -> None:
    connection = connect(service)
    first = render_with_emails(service, connection)
    service.clock.advance(seconds=5)
    second = render_with_emails(service, connection, [EMAIL, EMAIL])
    deliver_emails(service, fake_provider)
    test_key = service.test
    other = service.key("live", workspace=service.create_workspace("scale"))

    page = service.call("GET", f"{SENDS_PATH}?limit=2").json
    rest = service.call("GET", f"{SENDS_PATH}?limit=2&cursor={page['next_cursor']}").json

    assert {send["render_id"] for send in page["data"]} == {second["id"]}
    assert [send["render_id"] for send in rest["data"]] == [first["id"]]
    assert (page["has_more"], rest["has_more"]) == (True, False)
    assert len(sends(service, render_id=second["id"])) == 2
    assert sends(service, render_id="rnd_1") == []
    assert len(sends(service, status="sent")) == 3
    assert sends(service, status="failed") == []
    assert len(sends(service, rule_id=page["data"][0]["rule_id"])) in {1, 2}
    for key in (test_key, other):
        assert service.call("GET", SENDS_PATH, key=key).json["data"] == []
        path = f"{SENDS_PATH}/{page['data'][0]['id']}"
        assert service.call("GET", path, key=key).status == 404


@pytest.mark.parametrize("dies", [False, True])
def test_repeat_of_a_resend_sends_nothing_more(
    service: Service, fake_provider: FakeProvider, monkeypatch: pytest.MonkeyPatch, *, dies: bool
) -> None:
    render_with_emails(service, connect(service))
    fake_provider.answers = [REJECTED, REJECTED]
    deliver_emails(service, fake_provider)
    (failed,) = sends(service)
    headers = {"Idempotency-Key": "again"}

    def kill(point: CrashPoint) -> None:
        if point is CrashPoint.ANSWER_MADE:
            raise FunctionKilled

    with monkeypatch.context() as patch:
        if dies:
            patch.setattr(idempotency, "crash_if_armed", kill)
        with pytest.raises(FunctionKilled) if dies else nullcontext():
            resend(service, failed, headers=headers)
    send_emails(service, fake_provider)
    there = sends(service)
    service.clock.advance(seconds=31)
    repeats = [resend(service, failed, headers=headers) for _ in range(2)]

    (again,) = (each for each in there if each["id"] != failed["id"])
    assert [(each.status, each.json["id"]) for each in repeats] == [(202, again["id"])] * 2
    assert [each["id"] for each in sends(service)] == [each["id"] for each in there]
    assert len(fake_provider.attempts) == 2
    assert resend(service, failed).code == "conflict"


def test_emails_of_a_batch_are_sent_again(service: Service, fake_provider: FakeProvider) -> None:
    connection = connect(service)
    path = make_batch(service, 3)
    assert service.release_batches() == []
    assert service.run_queued("BatchItems") == []
    for render in service.call("GET", "/v1/renders").json["data"]:
        add_emails(service, render["id"], connection)
    fake_provider.answers = [REJECTED, NO_ANSWER]
    deliver_emails(service, fake_provider)
    assert batch_at(service, path)["emails"] == NO_EMAILS | {"sent": 1, "failed": 1, "unknown": 1}

    request: dict[str, Any] = {
        "json_body": {"statuses": ["failed", "unknown"]},
        "headers": {"Idempotency-Key": "again"},
    }
    answer = service.call("POST", f"{path}/resend-emails", **request)

    assert (answer.status, answer.json) == (200, {"resent": 2, "skipped": []})
    assert batch_at(service, path)["emails"] == NO_EMAILS | {"sent": 1, "pending": 2}
    fake_provider.answers = [REJECTED]
    send_emails(service, fake_provider)
    assert service.call("POST", f"{path}/resend-emails", **request).json == answer.json
    assert batch_at(service, path)["emails"] == NO_EMAILS | {"sent": 2, "failed": 1}
    service.clock.advance(seconds=1)  # of the rate
    service.call("POST", f"{path}/resend-emails", json_body={"statuses": ["failed"]})
    send_emails(service, fake_provider)
    assert batch_at(service, path)["emails"] == NO_EMAILS | {"sent": 3}
    again = service.call("POST", f"{path}/resend-emails", json_body={"statuses": ["failed"]})
    assert again.json == {"resent": 0, "skipped": []}


def test_emails_of_many_renders_are_published_together(
    service: Service, fake_provider: FakeProvider, caplog: pytest.LogCaptureFixture
) -> None:
    connection = connect(service, config=SMTP | {"max_per_second": 100})
    path = make_batch(service, 9)
    assert service.release_batches() == []
    assert service.run_queued("BatchItems") == []
    for render in service.call("GET", "/v1/renders").json["data"]:
        add_emails(service, render["id"], connection, [EMAIL, RenderedEmail(is_wanted=False)])

    deliver_emails(service, fake_provider)
    send_emails(service, fake_provider)

    assert "events not published together" not in caplog.text
    assert batch_at(service, path)["emails"] == NO_EMAILS | {"sent": 9, "skipped": 9}
    statistics = service.call("GET", "/v1/email-sends/stats").json["last_30_days"]
    assert (statistics["sent"], statistics["skipped"]) == (9, 9)
