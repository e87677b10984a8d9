"""Tests of rules: a test render whose one email goes to a member."""

from typing import Any

import pytest

from tests.builders.email_connections import SMTP, pointers, use_plan
from tests.builders.email_rules import RULES_PATH, made_rule
from tests.builders.email_sends import connect, sends
from tests.builders.http import ApiAnswer
from tests.builders.service import Service
from tests.fakes.submission_server import HOST, PORT, SubmissionServer

pytestmark = [
    pytest.mark.usefixtures("reachable"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]
MEMBER = "ada@example.com"


@pytest.fixture(autouse=True)
def _member(service: Service) -> None:
    service.operator.manage_members.add(service.workspace, MEMBER, "developer")
    service.operator.manage_members.verify(service.workspace, MEMBER)


def rule_to_test(service: Service, **fields: Any) -> dict[str, Any]:
    config = SMTP | {"host": HOST, "port": PORT}
    connection = connect(service, credentials={"password": "p"}, config=config)
    texts = {"to": "{{ to }}", "cc": "cc@example.com", "subject": "Nr {{ n }}", "text": "Hi"}
    return made_rule(service, connection_id=connection["id"], **texts | fields)


def run_test(service: Service, tested: dict[str, Any], **fields: Any) -> ApiAnswer:
    body = {"to": MEMBER, "data": {"to": "customer@example.com", "n": 5}} | fields
    return service.call("POST", f"{RULES_PATH}/{tested['id']}/test", json_body=body)


def test_email_of_a_test_goes_to_the_member_alone(
    service: Service, server: SubmissionServer
) -> None:
    rule = rule_to_test(service)

    answer = run_test(service, rule)
    service.run_queued()
    service.relay_events()
    service.send_emails()

    assert answer.status == 202
    assert (answer.json["source"], answer.json["test"]) == ("email_test", True)
    ((recipients, mail),) = server.mails
    assert recipients == [MEMBER]
    assert mail["Subject"] == "[Test] Nr 5"
    (send,) = sends(service, render_id=answer.json["id"])
    assert (send["status"], send["mode"], send["test"]) == ("sent", "redirect", True)
    assert send["to"] == [{"email": "customer@example.com", "name": None}]
    assert send["rule_id"] == rule["id"]


def test_email_of_a_test_needs_no_recipient_of_the_rule(
    service: Service, server: SubmissionServer
) -> None:
    rule = rule_to_test(service, to="{{ nobody }}", cc="")

    answer = run_test(service, rule)
    service.run_queued()
    service.relay_events()
    service.send_emails()

    ((recipients, _),) = server.mails
    assert recipients == [MEMBER]
    (send,) = sends(service, render_id=answer.json["id"])
    assert (send["status"], send["to"], send["error"]) == ("sent", [], None)


def test_unsaved_texts_can_be_tested(service: Service, server: SubmissionServer) -> None:
    rule = rule_to_test(service)

    texts = {"to": "x@example.com", "subject": "Other {{ n }}", "html": "<p>{{ n }}</p>"}
    run_test(service, rule, rule=texts)
    service.run_queued()
    service.relay_events()
    service.send_emails()

    assert server.mails[0][1]["Subject"] == "[Test] Other 5"


def test_tests_that_are_refused(service: Service) -> None:
    rule = rule_to_test(service)

    assert pointers(run_test(service, rule, to="bob@example.com")) == ["/to"]
    assert pointers(run_test(service, rule, to="no")) == ["/to"]
    assert run_test(service, {"id": "emr_01HZZZZZZZZZZZZZZZZZZZZZZZ"}).status == 404
    use_plan(service, "starter")
    assert run_test(service, rule).code == "feature_not_enabled"


def test_test_holds_a_place_until_its_render_has_ended(service: Service) -> None:
    tested = rule_to_test(service)
    places = 5
    use_plan(service, "growth")

    answers = [run_test(service, tested) for _ in range(places + 1)]

    assert [answer.status for answer in answers] == [202] * places + [429]
    assert answers[-1].code == "concurrency_limited"
    service.run_queued()
    assert service.limits()["leases"] == {}
    assert run_test(service, tested).status == 202


def test_canceled_test_gives_its_place_back(service: Service) -> None:
    tested = run_test(service, rule_to_test(service)).json
    assert list(service.limits()["leases"]) == [tested["id"]]

    canceled = service.call("POST", f"/v1/renders/{tested['id']}/cancel")

    assert canceled.json["status"] == "canceled"
    service.relay_events()
    assert service.limits()["leases"] == {}
