"""Functions killed over emails: none is sent twice, and what may have been sent is `unknown`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from chalicelib.core.crash_points import CrashPoint as P
from tests.builders.crash.emails import CrashEmails
from tests.builders.crash.in_process.stack import ServiceStack
from tests.builders.pages.certificates import certificates
from tests.fakes.submission_server import EGRESS_ALLOW, HOST, submission_server

pytestmark = [
    # aiosmtpd warns about its own defaults.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

# From the render to its sends: the subscriber's transaction is the relay's.
RENDER = (P.RENDER_EMAILS_STORED, P.RELAY_PREPARED, P.RELAY_PUBLISHED, P.RELAY_FOLLOWED_UP)
BEFORE_THE_MARK = (P.EMAIL_BEGUN, P.EMAIL_SLOT_TAKEN, P.EMAIL_CLAIMED, P.EMAIL_PREPARED)
AFTER_THE_RESULT = (P.EMAIL_RECORDED, P.EMAIL_EVENT_SENT)
RESEND = (P.EMAIL_RESENT, P.EMAIL_RESEND_SENT)
# In test_email_reports.py.
REPORTS = (P.EMAIL_REPORT_STORED, P.EMAIL_EVENTS_REGISTERED)
# Whether the email has arrived.
MARKED = ((P.EMAIL_MARKED, 0), (P.EMAIL_HANDED_OVER, 1))


@pytest.fixture
def crash(
    stack: ServiceStack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[CrashEmails]:
    trusted = certificates(tmp_path, [HOST])
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted.ca_file))
    stack.allow(EGRESS_ALLOW)
    with submission_server(trusted.server) as server:
        yield CrashEmails(stack, server)


def ends(crash: CrashEmails) -> list[tuple[str, int]]:
    """Return the status of each send, and how often its email has arrived."""
    received = crash.received()
    return [(send.status, received[send.id]) for send in crash.sends()]


def test_every_crash_point_of_emails_is_covered() -> None:
    killed = {*RENDER, *BEFORE_THE_MARK, *AFTER_THE_RESULT, *RESEND, *(each for each, _ in MARKED)}
    killed |= {P.EMAIL_DELAYED, P.EMAIL_GIVEN_UP, *REPORTS}

    assert {point for point in killed if "EMAIL" in point.name} == {
        point for point in P if "EMAIL" in point.name
    }


@pytest.mark.parametrize("point", [*RENDER, *BEFORE_THE_MARK, *AFTER_THE_RESULT], ids=str)
def test_email_is_sent_once(crash: CrashEmails, point: P) -> None:
    crash.render()

    crash.die(point)

    assert ends(crash) == [("sent", 1)]


@pytest.mark.parametrize(("point", "arrived"), MARKED, ids=str)
def test_email_that_may_have_been_sent_is_not_repeated(
    crash: CrashEmails, point: P, arrived: int
) -> None:
    crash.render()

    crash.die(point)

    assert ends(crash) == [("unknown", arrived)]


@pytest.mark.parametrize("point", [P.EMAIL_RECORDED, P.EMAIL_DELAYED], ids=str)
def test_attempt_that_failed_is_followed_by_one_more(crash: CrashEmails, point: P) -> None:
    crash.server.is_busy = True
    armed = crash.arm(point)
    crash.render()
    crash.await_kill(armed)
    crash.server.is_busy = False

    crash.settle(lambda: list(crash.faults()))

    assert ends(crash) == [("sent", 1)]
    assert crash.sends()[0].attempts == 2


@pytest.mark.parametrize("point", RESEND, ids=str)
def test_repeat_is_one_more_email(crash: CrashEmails, point: P) -> None:
    crash.render()
    crash.settle(lambda: list(crash.faults()))
    (first,) = crash.sends()

    crash.call_killed(point, "POST", f"/email-sends/{first.id}/resend", json={})

    crash.settle(lambda: list(crash.faults()))
    assert ends(crash) == [("sent", 1)] * 2


def test_email_that_was_given_up_has_failed(crash: CrashEmails) -> None:
    crash.server.is_busy = True
    crash.render()
    send = crash.await_failed_attempt()
    crash.make_due()
    armed = crash.arm(P.EMAIL_GIVEN_UP)
    crash.give_up(send)
    crash.await_kill(armed)

    crash.settle(lambda: list(crash.faults()))

    assert ends(crash) == [("failed", 0)]
