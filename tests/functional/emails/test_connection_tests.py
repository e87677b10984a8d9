"""Tests of SMTP connections: their steps, what they send, and what they leave behind."""

import logging
from email.header import decode_header, make_header

import pytest
from botocore.exceptions import ReadTimeoutError

from tests.builders.email_connections import (
    PATH,
    change_connection,
    failed_step,
    pointers,
    run_test,
    smtp_connection,
    use_plan,
)
from tests.builders.service import Service
from tests.fakes.submission_server import (
    HOST,
    SubmissionServer,
)

pytestmark = [
    pytest.mark.usefixtures("reachable"),
    # aiosmtpd warns about the options that these tests set.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

GOOD = [
    {"name": "connect", "ok": True, "detail": None},
    {"name": "starttls", "ok": True, "detail": None},
    {"name": "smtp_auth", "ok": True, "detail": None},
]


def test_good_connection_passes_all_steps(service: Service, server: SubmissionServer) -> None:
    connection = smtp_connection(service)
    service.clock.advance(seconds=5)

    answer = run_test(service, connection)

    shown = answer.json["connection"]
    assert (answer.status, answer.json) == (
        200,
        {
            "object": "email_connection_test",
            "ok": True,
            "connection": shown,
            "senders": [],
            "steps": GOOD,
        },
    )
    assert shown == connection | {
        "last_test_at": shown["last_test_at"],
        "last_test_status": "succeeded",
    }
    assert shown["last_test_at"] > connection["created_at"]
    assert service.call("GET", f"{PATH}/{connection['id']}").json == shown
    assert (server.logins, server.mails) == ([("mailer", "p")], [])


def test_email_goes_to_the_member_who_is_named(service: Service, server: SubmissionServer) -> None:
    service.operator.manage_members.add(service.workspace, "ada@example.com", "developer")
    name = 'Müller & "Söhne", GmbH <a@b.example>'
    sender = {"email": "billing@müller.example", "name": name}
    connection = smtp_connection(service, default_from=sender, reply_to="help@example.com")

    refusal = run_test(service, connection, send_to="ada@example.com")
    service.operator.manage_members.verify(service.workspace, "ada@example.com")
    answer = run_test(service, connection, send_to="ada@example.com")

    assert pointers(refusal) == ["/send_to"]
    sent_step = {"name": "send", "ok": True, "detail": None}
    assert (answer.json["ok"], answer.json["steps"]) == (True, [*GOOD, sent_step])
    ((recipients, mail),) = server.mails
    assert recipients == ["ada@example.com"]
    assert (mail["To"], mail["Reply-To"], mail["Bcc"]) == (
        "ada@example.com",
        "help@example.com",
        None,
    )
    encoded, _, address = mail["From"].rpartition(" ")
    assert str(make_header(decode_header(encoded))) == name
    assert address == "<billing@xn--mller-kva.example>"
    assert mail["Message-ID"].endswith("@xn--mller-kva.example>")


def test_refused_recipient_fails_the_step_and_not_the_connection(
    service: Service, server: SubmissionServer
) -> None:
    service.operator.manage_members.add(service.workspace, "ada@example.com", "developer")
    service.operator.manage_members.verify(service.workspace, "ada@example.com")
    server.refused = ["ada@example.com"]
    connection = smtp_connection(service)

    step = failed_step(service, connection, send_to="ada@example.com")

    assert step == ("send", f"The mail server {HOST} answered 550 5.1.1.")
    shown = service.call("GET", f"{PATH}/{connection['id']}").json
    assert (shown["status"], shown["last_test_status"]) == ("active", "failed")


def test_refused_login_makes_it_failing_until_a_good_test(
    service: Service, server: SubmissionServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    connection = smtp_connection(service, credentials={"password": "wr0ng-pass"})

    step = failed_step(service, connection)

    failing = service.call("GET", f"{PATH}/{connection['id']}").json
    detail = f"{HOST} answered 535 5.7.8"
    assert step == ("smtp_auth", detail)
    assert failing["status"] == "failing"
    assert failing["last_error"] == {
        "at": failing["last_test_at"],
        "code": "email_provider_auth_failed",
        "message": detail,
    }
    assert "wr0ng-pass" not in caplog.text
    changed = change_connection(service, connection, credentials={"password": "p"}).json
    assert changed["status"] == "failing"
    shown = run_test(service, connection).json["connection"]
    assert (shown["status"], shown["last_error"]) == ("active", None)
    assert server.logins[-1] == ("mailer", "p")


@pytest.mark.usefixtures("server")
def test_connection_without_credentials_cannot_log_in(service: Service) -> None:
    connection = smtp_connection(service, credentials=None)

    assert failed_step(service, connection)[0] == "smtp_auth"
    shown = service.call("GET", f"{PATH}/{connection['id']}").json
    assert (shown["status"], shown["last_error"]["code"]) == (
        "failing",
        "email_credentials_removed",
    )


def test_result_is_dropped_where_the_credentials_were_replaced_meanwhile(
    service: Service, server: SubmissionServer
) -> None:
    connection = smtp_connection(service, credentials={"password": "old"})
    answers = []

    def change() -> None:
        answers.append(change_connection(service, connection, credentials={"password": "p"}))

    server.on_login = change
    answer = run_test(service, connection)

    assert [each.status for each in answers] == [200] * len(server.logins)
    assert (answer.json["ok"], answer.json["connection"]["status"]) == (False, "active")
    assert answer.json["connection"]["last_test_at"] is None


def test_result_survives_a_change_of_the_name_meanwhile(
    service: Service, server: SubmissionServer
) -> None:
    connection = smtp_connection(service)

    def rename() -> None:
        change_connection(service, connection, name="Other")

    server.on_login = rename
    shown = run_test(service, connection).json["connection"]

    assert (shown["name"], shown["last_test_status"]) == ("Other", "succeeded")


def test_one_test_of_a_workspace_at_a_time(service: Service, server: SubmissionServer) -> None:
    first, second = smtp_connection(service), smtp_connection(service)
    answers = []
    server.on_login = lambda: answers.append(run_test(service, second))

    assert run_test(service, first).json["ok"]

    assert [each.code for each in answers] == ["conflict"]
    server.on_login = lambda: None
    assert run_test(service, second).json["ok"]


@pytest.mark.usefixtures("server")
def test_lost_function_gives_its_place_back_by_itself(service: Service) -> None:
    connection = smtp_connection(service)
    service.email_failures = iter([ReadTimeoutError(endpoint_url="https://lambda.test")])

    assert run_test(service, connection).code == "region_degraded"
    assert run_test(service, connection).code == "conflict"
    service.clock.advance(seconds=30)
    assert run_test(service, connection).json["ok"]


def test_what_is_refused_before_a_test(service: Service) -> None:
    connection = smtp_connection(service)
    path = f"{PATH}/{connection['id']}/test"
    other = service.key("live", workspace=service.create_workspace())
    reader = service.key("live", scopes=["email:read"])

    assert pointers(run_test(service, connection, send_to="nobody")) == ["/send_to"]
    assert pointers(run_test(service, connection, to="a@example.com")) == ["/to"]
    assert service.call("POST", path, json_body={}, key=other).status == 404
    assert service.call("POST", path, json_body={}, key=reader).code == "insufficient_scope"
    use_plan(service, "starter")
    assert run_test(service, connection).code == "feature_not_enabled"
