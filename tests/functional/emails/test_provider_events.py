"""Delivery events of Brevo: each is stored once, counted, and told."""

import json
from collections import Counter
from typing import Any

import pytest

from chalicelib.core.crash_points import CrashPoint
from chalicelib.features.emails.sends.reports import repository as stored_reports
from tests.builders.email_connections import change_connection
from tests.builders.email_sends import connect, event_types
from tests.builders.http_providers import CONNECTIONS, connection_to
from tests.builders.provider_events import (
    TIME_MS,
    delivery,
    event,
    register,
    registered_path,
    report,
    reports,
    sent_email,
)
from tests.builders.service import Service
from tests.fakes.http_provider import HttpProvider

type Sent = tuple[dict[str, Any], str]


@pytest.fixture
def sent(service: Service, provider: HttpProvider) -> Sent:
    """Give a send over Brevo, and the path for its events."""
    connection, path = register(service, provider)
    return sent_email(service, provider, connection), path


@pytest.mark.parametrize(
    ("kind", "shown", "count", "told"),
    [
        ("delivered", "delivered", "delivered", ["email.delivered"]),
        ("deferred", "deferred", "deferred", []),
        ("soft_bounce", "soft_bounce", "bounced", ["email.bounced"]),
        ("hard_bounce", "hard_bounce", "bounced", ["email.bounced"]),
        ("blocked", "blocked", "blocked", ["email.bounced"]),
        ("invalid_email", "invalid", "invalid", ["email.bounced"]),
        ("spam", "spam", "complained", ["email.complained"]),
        ("complaint", "spam", "complained", ["email.complained"]),
    ],
)
def test_event_is_listed_counted_and_told(
    service: Service, sent: Sent, kind: str, shown: str, count: str, told: list[str]
) -> None:
    send, path = sent

    answer = report(service, path, event(kind, reason=" mailbox\nfull"))

    assert (answer.status, answer.body) == (204, b"")
    assert reports(service, send)["data"] == [
        {
            "event": shown,
            "recipient": "ada@example.com",
            "reason": "mailbox full",
            "occurred_at": "2026-02-01T12:00:00.000Z",
        }
    ]
    assert delivery(service, send) == {count: 1}
    assert sorted(event_types(service, send)) == sorted(["email.sent", *told])


def test_events_come_in_any_order_and_number_and_count_once(service: Service, sent: Sent) -> None:
    send, path = sent
    late = event("delivered", ts_epoch=TIME_MS + 5_000)
    early = event("deferred")
    other = event("hard_bounce", email="cc@example.com", ts_epoch=TIME_MS + 1_000)

    for body in ([late, other], early, [early, late, late], [], other):
        assert report(service, path, body).status == 204

    kinds = [each["event"] for each in reports(service, send)["data"]]
    assert kinds == ["deferred", "hard_bounce", "delivered"]
    assert delivery(service, send) == {"delivered": 1, "deferred": 1, "bounced": 1}
    assert Counter(event_types(service, send)) == {
        "email.sent": 1,
        "email.delivered": 1,
        "email.bounced": 1,
    }


def test_event_without_a_time_counts_once(service: Service, sent: Sent) -> None:
    send, path = sent

    for _ in range(2):
        report(service, path, event("delivered", ts_epoch="soon"))
        service.clock.advance(seconds=5)

    assert delivery(service, send) == {"delivered": 1}


def test_list_has_pages(service: Service, sent: Sent) -> None:
    send, path = sent
    report(service, path, [event("deferred", ts_epoch=TIME_MS + each) for each in range(5)])

    first = reports(service, send, "?limit=3")
    second = reports(service, send, f"?limit=3&cursor={first['next_cursor']}")

    times = [each["occurred_at"][-4:] for each in first["data"] + second["data"]]
    assert times == ["000Z", "001Z", "002Z", "003Z", "004Z"]
    assert (first["has_more"], second["has_more"], second["next_cursor"]) == (True, False, None)


def test_send_is_found_by_its_own_id_before_its_result_is_known(
    service: Service, sent: Sent, provider: HttpProvider
) -> None:
    send, path = sent
    told = provider.calls[-1].fields["headers"]["X-Mailin-custom"]
    lost = event("delivered", **{"message-id": "<other@relay.test>", "X-Mailin-custom": told})

    report(service, path, lost)

    assert told == send["id"]
    assert delivery(service, send) == {"delivered": 1}


@pytest.mark.parametrize(
    "body",
    [
        event("opened"),
        event("request"),
        event("delivered", **{"message-id": "<other@relay.test>"}),
        event("delivered", **{"message-id": 7}),
        event("delivered", **{"message-id": chr(0x1F4E7) * 5_000}),
        event("delivered", **{"message-id": "", "X-Mailin-custom": "ems_" + 26 * "0"}),
        {},
        {"event": ["delivered"]},
    ],
)
def test_what_is_no_news_of_an_email_changes_nothing(
    service: Service, sent: Sent, body: Any
) -> None:
    send, path = sent

    assert report(service, path, body).status == 204

    assert reports(service, send)["data"] == []


def test_connection_gets_no_events_of_another_one(
    service: Service, sent: Sent, provider: HttpProvider
) -> None:
    send, path = sent
    _, other_path = register(service, provider)

    report(service, other_path, event("delivered"))
    assert delivery(service, send) == {}

    report(service, path, event("delivered"))
    assert delivery(service, send) == {"delivered": 1}


def test_reports_are_bounded(service: Service, sent: Sent, monkeypatch: pytest.MonkeyPatch) -> None:
    send, path = sent
    monkeypatch.setattr(stored_reports, "MAX_REPORTS", 3)

    answer = report(service, path, [event("deferred", ts_epoch=TIME_MS + i) for i in range(5)])

    assert answer.status == 204
    assert len(reports(service, send)["data"]) == delivery(service, send)["deferred"] == 3


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"{", "invalid_json"),
        (b"7", "validation_error"),
        (b'[{"event": "delivered"}, 7]', "validation_error"),
        (b"[" + b",".join([b"{}"] * 501) + b"]", "validation_error"),
        (b" " * 10_000_000, "payload_too_large"),
    ],
)
def test_body_that_has_no_events_is_refused(
    service: Service, sent: Sent, body: bytes, code: str
) -> None:
    _, path = sent
    headers = {"Content-Type": "application/json"}

    answer = service.call("POST", path, body=body, headers=headers, key=None)

    assert answer.code == code


def test_address_with_another_token_is_not_found(service: Service, sent: Sent) -> None:
    send, path = sent
    head, _, token = path.rpartition("/")
    last = "0" if token[-1] != "0" else "1"
    smtp = connect(service)
    wrong = [
        f"{head}/{token[:-1]}{last}",
        f"{head}/{token[:-1]}",
        f"{head}/{token}0",
        f"{head}/x",
        f"{head}/ws_01J8Z6Y3K4M5N6P7Q8R9S0T1V2-{token.partition('-')[2]}",
        f"{head}/{token.partition('-')[0]}-%C3%A9",
        f"/v1/provider-events/{smtp['id']}/{token}",
        f"/v1/provider-events/emc_01J8Z6Y3K4M5N6P7Q8R9S0T1V2/{token}",
    ]

    codes = {report(service, each, event("delivered")).code for each in wrong}

    assert codes == {"not_found"}
    assert delivery(service, send) == {}
    bodies = [b"", b"{", b"null", b"x" * 1_000_001, b"[" * 10_000, b'"\xff"']
    kinds = ["application/json", "text/html", "multipart/form-data"]
    answers = {
        service.call("POST", wrong[0], body=body, headers={"Content-Type": kind}, key=None).code
        for body in bodies
        for kind in kinds
    }
    answers.add(service.call("POST", f"{wrong[0]}?x=1", json_body={}, key=None).code)
    assert answers == {"not_found"}


def test_new_credentials_have_a_new_address(
    service: Service, sent: Sent, provider: HttpProvider
) -> None:
    send, path = sent
    connection = {"id": send["connection_id"]}
    change_connection(service, connection, name="Other name")
    assert report(service, path, event("deferred")).status == 204

    change_connection(service, connection, credentials={"api_key": "new"})

    assert report(service, path, event("delivered")).code == "not_found"
    assert report(service, registered_path(service, provider), event("delivered")).status == 204
    assert delivery(service, send) == {"deferred": 1, "delivered": 1}


def test_event_is_published_although_its_message_was_lost(
    service: Service, sent: Sent, monkeypatch: pytest.MonkeyPatch
) -> None:
    send, path = sent
    module = "chalicelib.features.emails.sends.reports.take.crash_if_armed"

    def crash(point: CrashPoint) -> None:
        raise RuntimeError(point.name)

    with monkeypatch.context() as patched:
        patched.setattr(module, crash)
        assert report(service, path, event("delivered")).status == 500
    service.relay_events()
    assert report(service, path, event("delivered")).status == 204
    assert event_types(service, send).count("email.delivered") == 1

    service.clock.advance(minutes=2)
    service.tick()

    assert service.waiting("Events") == 1


def test_other_providers_report_nothing(service: Service, provider: HttpProvider) -> None:
    for name in CONNECTIONS.keys() - {"brevo"}:
        connection_to(service, name)

    service.tick()

    assert service.send_emails() == []
    assert provider.calls == []


@pytest.mark.parametrize("text", [chr(0x1F4E7) * 400, "x" * 400_000, "\\ud800", "\\u0000"])
def test_hostile_texts_are_stored_or_refused(service: Service, sent: Sent, text: str) -> None:
    _, path = sent
    body = json.dumps(event("delivered")).replace(" sent", text).encode()
    headers = {"Content-Type": "application/json"}

    answer = service.call("POST", path, body=body, headers=headers, key=None)

    assert answer.status in {204, 400}
