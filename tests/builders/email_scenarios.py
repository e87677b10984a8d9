"""Scenarios of email connections, rules and sends, which use every grant of the functions."""

import pytest

from chalicelib.adapters.net.submission import Submission
from chalicelib.features.workspaces.change import WorkspaceChanges
from tests.builders.batches import make_batch
from tests.builders.email_connections import SMTP, use_plan
from tests.builders.email_rules import email_rules_of_every_size, made_rule
from tests.builders.email_sends import (
    EMAIL,
    SENDS_PATH,
    connect,
    deliver_emails,
    render_with_emails,
    send_emails,
    sends,
)
from tests.builders.service import Service
from tests.fakes.email_provider import REJECTED, UNAVAILABLE, FakeProvider


def emails_of_every_kind(service: Service) -> None:
    _connections_and_rules(service)
    _emails_of_renders(service)


def _connections_and_rules(service: Service) -> None:
    """Make, change, list and delete email connections and rules."""
    path = "/v1/email-connections"
    workspace = service.create_workspace()
    service.operator.change_workspace(workspace, WorkspaceChanges(plan="growth"))
    key = service.key("live", workspace=workspace)
    sender = {"email": "a@example.com"}
    body = {"name": "x", "provider": "brevo", "default_from": sender}
    made = service.call("POST", path, json_body=body | {"credentials": {"api_key": "k"}}, key=key)
    one = f"{path}/{made.json['id']}"
    assert service.call("PATCH", one, json_body={"name": "y"}, key=key).status == 200
    assert len(service.call("GET", path, key=key).json["data"]) == 1
    assert service.call("DELETE", one, key=key).status == 204
    smtp = {"host": "mail.example", "port": 587, "username": "u"}
    body |= {"provider": "smtp", "config": smtp, "credentials": {"password": "p"}}
    one = f"{path}/{service.call('POST', path, json_body=body, key=key).json['id']}"
    with pytest.MonkeyPatch.context() as patch:
        # What goes to a server needs no grant.
        for step in ("connect", "start_tls", "log_in"):
            patch.setattr(Submission, step, lambda *_: None)
        assert service.call("POST", f"{one}/test", json_body={}, key=key).json["ok"] is True
    email_rules_of_every_size(service)


def _emails_of_renders(service: Service) -> None:
    """Send emails at once and later, with files and with links, and repeat a failed one."""
    before = service.services.workspaces.get(service.workspace)
    assert before is not None
    use_plan(service, "growth")
    provider = FakeProvider(UNAVAILABLE, REJECTED)
    connection = connect(service, config=SMTP | {"max_per_second": 1})
    for rule in ({}, {"attachments": "link"}):
        render_with_emails(service, connection, [EMAIL] * 2, rule=rule)
        deliver_emails(service, provider)
    for _ in range(8):
        service.clock.advance(minutes=3)
        service.tick()
        assert send_emails(service, provider) == []
    ended = sends(service)
    assert sorted(send["status"] for send in ended) == ["failed", "sent", "sent", "sent"]
    (failed,) = (send for send in ended if send["status"] == "failed")
    path = f"{SENDS_PATH}/{failed['id']}"
    assert service.call("POST", f"{path}/resend", json_body={}).status == 202
    assert send_emails(service, provider) == []
    for target in (path, "/v1/email-sends/stats"):
        assert service.call("GET", target).status == 200
    service.process_due()
    # The files of items go when the archive is there, and what their emails say with them.
    rule = made_rule(service, connection_id=connection["id"], condition="1 > 2")
    template_id = rule["template_id"]
    files = {"combine": {"zip": True}, "delivery": {"hosted": False}}
    make_batch(service, template_id=template_id, **files)
    service.run_batches()
    # The rate of the requests so far does not hold up the next ones.
    service.clock.advance(minutes=1)
    use_plan(service, before.plan_code)
