"""Functions killed over webhooks: each event has one delivery, each attempt one number."""

import datetime as dt
from collections.abc import Iterator, Sequence

import pytest

from chalicelib.adapters.net.smtp import SmtpMailer
from chalicelib.core.clock import format_rfc3339
from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.batches import FIRST_BATCH_POINT
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.crash.webhooks import FIRST_WEBHOOK_POINT, CrashWebhooks
from tests.builders.stack.stores import PAST
from tests.fakes.webhook_receiver import webhook_receiver

# The subscriber's own transaction is the relay's: both sides of it, and of its messages.
RELAY = (P.RELAY_PREPARED, P.WEBHOOK_PAYLOAD_STORED, P.RELAY_PUBLISHED, P.RELAY_FOLLOWED_UP)
ATTEMPT = (
    P.WEBHOOK_BEGUN,
    P.WEBHOOK_CLAIMED,
    P.WEBHOOK_LEASED,
    P.WEBHOOK_SENT,
    P.WEBHOOK_RECORDED,
    P.WEBHOOK_RELEASED,
)
REPLAY = (P.WEBHOOK_REPLAYED, P.WEBHOOK_REPLAY_SENT)
DAYS = dt.timedelta(days=31)


@pytest.fixture
def crash(stack: ServiceStack) -> Iterator[CrashWebhooks]:
    with webhook_receiver(stack.now) as receiver:
        stack.allow(f"127.0.0.1/32:{receiver.port}")
        made = CrashWebhooks(stack, receiver)
        yield made
        assert list(made.lease_faults()) == []


@pytest.fixture
def mails(stack: ServiceStack, monkeypatch: pytest.MonkeyPatch) -> list[Sequence[str]]:
    """Return the recipients of each mail to owners."""
    sent: list[Sequence[str]] = []
    monkeypatch.setattr(SmtpMailer, "__call__", lambda _, to, *_text: sent.append(to))
    stack.service.smtp_url = "smtp://mail.test"
    return sent


def statuses(crash: CrashWebhooks) -> list[tuple[str, list[int]]]:
    """Return status and answers of each delivery."""
    return [
        (row["status"], [int(attempt["status_code"]) for attempt in crash.attempts(row)])
        for row in crash.deliveries()
    ]


def test_every_crash_point_of_webhooks_is_covered() -> None:
    killed = {*RELAY, *ATTEMPT, *REPLAY, P.WEBHOOK_NEXT_SENT, P.WEBHOOK_POSTPONED}
    killed |= {P.WEBHOOK_SAMPLE_WRITTEN, P.WEBHOOK_SECRET_MADE, P.WEBHOOK_OWNER_NOTIFIED}
    killed |= {P.WEBHOOK_PAYLOAD_ERASED, P.WEBHOOK_GIVEN_UP}

    assert {point for point in killed if point.name.startswith("WEBHOOK")} == {
        point for point in P if FIRST_WEBHOOK_POINT <= point < FIRST_BATCH_POINT
    }


@pytest.mark.parametrize("point", RELAY, ids=lambda of: of.name)
def test_event_has_one_delivery(crash: CrashWebhooks, point: P) -> None:
    crash.make_endpoint()
    crash.render(large=True)

    crash.die(point)

    assert statuses(crash) == [("succeeded", [200])]


@pytest.mark.parametrize("point", ATTEMPT, ids=lambda of: of.name)
def test_attempt_has_one_number(crash: CrashWebhooks, point: P) -> None:
    crash.make_endpoint()
    crash.render()

    crash.die(point)

    assert statuses(crash) == [("succeeded", [200])]
    is_sent_twice = point is P.WEBHOOK_SENT
    assert sum(crash.received().values()) == (2 if is_sent_twice else 1)


@pytest.mark.parametrize("point", [*ATTEMPT, P.WEBHOOK_NEXT_SENT], ids=lambda of: of.name)
def test_failed_attempt_is_followed_by_one_more(crash: CrashWebhooks, point: P) -> None:
    # The attempt whose function dies behind it fails both times.
    crash.receiver.statuses = [500, 500] if point is P.WEBHOOK_SENT else [500]
    crash.make_endpoint()
    crash.render()

    crash.die(point)

    assert statuses(crash) == [("succeeded", [500, 200])]


def test_postponed_attempt_is_made(crash: CrashWebhooks) -> None:
    crash.take_all_leases(crash.make_endpoint(), seconds=8)
    crash.render()

    crash.die(P.WEBHOOK_POSTPONED)

    assert statuses(crash) == [("succeeded", [200])]


@pytest.mark.parametrize("point", REPLAY, ids=lambda of: of.name)
def test_replay_is_one_more_attempt(crash: CrashWebhooks, point: P) -> None:
    crash.make_endpoint()
    crash.render()
    crash.settle(lambda: list(crash.faults()) or not crash.deliveries())
    (row,) = crash.deliveries()

    crash.call_killed(point, "POST", f"/webhook-deliveries/{row['id']}/replay")

    crash.settle(lambda: list(crash.faults()))
    assert statuses(crash) == [("succeeded", [200, 200])]


def test_sample_is_sent(crash: CrashWebhooks) -> None:
    path = crash.make_endpoint()
    crash.samples = 1

    event = {"event": "render.failed"}
    crash.call_killed(P.WEBHOOK_SAMPLE_WRITTEN, "POST", f"{path}/test", json=event)

    crash.settle(lambda: list(crash.faults()))
    assert statuses(crash) == [("succeeded", [200])]


def test_secret_of_requests_is_made_once(crash: CrashWebhooks) -> None:
    body = {"input": {"type": "html", "html": "<p>Hi"}, "webhook": {"url": crash.receiver.url}}
    crash.call_killed(P.WEBHOOK_SECRET_MADE, "POST", "/renders", json=body)
    secret = crash.call("GET", "/webhook-endpoints/default-secret")["secret"]

    crash.render(webhook={"url": crash.receiver.url})

    crash.settle(lambda: list(crash.faults()))
    assert statuses(crash) == [("succeeded", [200])]
    crash.receiver.received[-1].verified([secret])
    assert crash.call("GET", "/webhook-endpoints/default-secret")["secret"] == secret


@pytest.mark.parametrize("point", [P.WEBHOOK_RECORDED, P.WEBHOOK_OWNER_NOTIFIED], ids=str)
def test_owner_of_a_disabled_endpoint_gets_a_mail(
    crash: CrashWebhooks, mails: list[Sequence[str]], point: P
) -> None:
    path = crash.make_endpoint()
    owner = f"{crash.workspace}@example.com".lower()
    crash.stack.operator.manage_members.add(crash.workspace, owner, "owner")
    (row,) = (row for row in crash.rows() if row["SK"].startswith("whe_"))
    crash.stores.replace(row, {"failing_since": PAST, "is_slow": True})
    crash.receiver.statuses = [500]
    crash.render()

    crash.die(point)
    crash.settle(lambda: [row for row in crash.rows() if "#WHE#" in row["PK"]])

    assert crash.call("GET", path)["disabled_reason"] == "failing"
    assert statuses(crash) == [("canceled", [500])]
    assert {recipient for recipients in mails for recipient in recipients} == {owner}
    assert len(mails) >= (2 if point is P.WEBHOOK_OWNER_NOTIFIED else 1)


def test_expired_delivery_leaves_nothing(crash: CrashWebhooks) -> None:
    crash.make_endpoint()
    crash.render(large=True)
    crash.settle(lambda: list(crash.faults()) or not crash.deliveries())
    (row,) = crash.deliveries()
    long_ago = format_rfc3339(crash.stack.now() - DAYS)
    crash.stores.replace(row, {"created_at": long_ago, "due_at": PAST})

    def left() -> list[str]:
        rows = [row["SK"] for row in crash.rows() if "#WHD#" in row["PK"]]
        return rows + crash.stores.keys(f"log/ws/{crash.workspace}/")

    crash.settle(left, P.WEBHOOK_PAYLOAD_ERASED)


def test_given_up_delivery_has_failed(crash: CrashWebhooks) -> None:
    crash.receiver.status = 500
    crash.make_endpoint()
    crash.render()
    crash.settle(lambda: sum(crash.received().values()) < 2)
    crash.receiver.status = 200
    (row,) = crash.deliveries()
    # The next message comes after minutes.
    crash.stores.replace(row, {"next_attempt_at": PAST})
    armed = crash.arm(P.WEBHOOK_GIVEN_UP)
    crash.give_up(row)
    crash.await_kill(armed)

    crash.settle(lambda: list(crash.faults()))
    assert [status for status, _ in statuses(crash)] == ["failed"]
