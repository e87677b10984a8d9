"""Emails of renders with `hosted: false`: files are kept until all of them are sent."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from chalicelib.engine.remote.calls import MAX_RETURNED_BYTES
from tests.builders.batches import make_batch
from tests.builders.email_connections import SMTP
from tests.builders.email_rules import made_rule, template_id_of
from tests.builders.email_sends import (
    SENDS_PATH,
    connect,
    deliver_emails,
    hand_out_later,
    send_emails,
    sends,
)
from tests.builders.http import ApiAnswer
from tests.builders.lambda_client import FunctionKilled
from tests.builders.service import Service
from tests.builders.templates import render_template
from tests.fakes.email_provider import NO_ANSWER, REJECTED, UNAVAILABLE, FakeProvider

UNHOSTED = {"hosted": False}


def template_with_rules(service: Service, *rules: dict[str, Any]) -> str:
    """Make a template with these rules of one connection."""
    template_id = template_id_of(service)
    connection_id = connect(service, config=SMTP | {"max_per_second": 100})["id"]
    for rule in rules or ({},):
        made_rule(service, template_id, connection_id, **{"to": "ada@example.com"} | rule)
    return template_id


def render(service: Service, template_id: str, **fields: Any) -> ApiAnswer:
    usual: dict[str, Any] = {"delivery": UNHOSTED, "data": {"n": 1}}
    return render_template(service, f"/v1/templates/{template_id}", **usual | fields)


def shown(service: Service, rendered: dict[str, Any]) -> dict[str, Any]:
    read: dict[str, Any] = service.call("GET", f"/v1/renders/{rendered['id']}").json
    return read


def stored(service: Service) -> list[str]:
    """Return the keys of files and emails of renders."""
    return [key for key in service.objects() if "/files/rnd_" in key or "/emails/" in key]


def follow(service: Service, file: dict[str, Any]) -> ApiAnswer:
    """Get the URL of a file."""
    parts = urlsplit(file["url"])
    return service.call("GET", f"{parts.path}?{parts.query}", key=None)


def maintain(service: Service) -> None:
    """Let a minute pass, and do the due items."""
    service.clock.advance(minutes=1)
    service.process_due()


def test_files_are_attached_and_then_deleted(service: Service, fake_provider: FakeProvider) -> None:
    template_id = template_with_rules(service)
    rendered = render(service, template_id).json
    assert len(stored(service)) == 2

    deliver_emails(service, fake_provider)
    maintain(service)

    (email,) = fake_provider.accepted
    assert [file.content for file in email.files] == [service.engine.content]
    assert [send["status"] for send in sends(service)] == ["sent"]
    assert stored(service) == []
    read = shown(service, rendered)
    assert (read["files"], read["emails"]["sent"]) == ([], 1)
    assert read["files_purged_at"] is not None


def test_kept_files_are_shown_without_urls(service: Service) -> None:
    rendered = render(service, template_with_rules(service)).json

    for answer in (rendered, shown(service, rendered)):
        (file,) = answer["files"]
        assert "url" not in file
        assert file["bytes"] == len(service.engine.content)
    assert len(stored(service)) == 2


@pytest.mark.parametrize("answer", [REJECTED, NO_ANSWER])
def test_files_stay_for_their_retention_after_a_failure(
    service: Service, fake_provider: FakeProvider, answer: Any
) -> None:
    rendered = render(service, template_with_rules(service)).json
    fake_provider.answers = [answer]

    deliver_emails(service, fake_provider)
    maintain(service)
    # It is the last copy.
    (file,) = shown(service, rendered)["files"]
    assert follow(service, file).status == 302
    assert file["expires_at"] == shown(service, rendered)["expires_at"] is not None
    service.clock.advance(days=29)
    service.process_due()

    assert len(stored(service)) == 2
    service.clock.advance(days=1)
    service.process_due()
    assert stored(service) == []


def test_files_that_stayed_have_no_url_after_their_purge(
    service: Service, fake_provider: FakeProvider
) -> None:
    rendered = render(service, template_with_rules(service)).json
    fake_provider.answers = [REJECTED]
    deliver_emails(service, fake_provider)
    (file,) = shown(service, rendered)["files"]

    service.call("DELETE", f"/v1/renders/{rendered['id']}/files")

    assert shown(service, rendered)["files"] == []
    assert follow(service, file).code == "file_expired"


def test_files_go_when_the_failed_email_was_sent_again(
    service: Service, fake_provider: FakeProvider
) -> None:
    render(service, template_with_rules(service))
    fake_provider.answers = [REJECTED]
    deliver_emails(service, fake_provider)
    (failed,) = sends(service)

    again = service.call("POST", f"{SENDS_PATH}/{failed['id']}/resend", json_body={})
    assert again.status == 202
    maintain(service)
    assert len(stored(service)) == 2
    send_emails(service, fake_provider)
    maintain(service)

    assert len(fake_provider.accepted) == 1
    assert stored(service) == []


def test_files_wait_for_the_last_email(service: Service, fake_provider: FakeProvider) -> None:
    rendered = render(service, template_with_rules(service, {}, {})).json
    fake_provider.before = [UNAVAILABLE]

    deliver_emails(service, fake_provider)
    assert sorted(send["status"] for send in sends(service)) == ["retrying", "sent"]
    service.process_due()
    assert len(stored(service)) == 2
    assert shown(service, rendered)["files_purged_at"] is None
    hand_out_later(service, minutes=3)
    send_emails(service, fake_provider)
    maintain(service)

    assert [send["status"] for send in sends(service)] == ["sent", "sent"]
    assert [len(email.files) for email in fake_provider.accepted] == [1, 1]
    assert stored(service) == []


def test_one_failed_email_of_two_keeps_the_files(
    service: Service, fake_provider: FakeProvider
) -> None:
    render(service, template_with_rules(service, {}, {}))
    fake_provider.answers = [REJECTED]

    deliver_emails(service, fake_provider)
    maintain(service)

    assert sorted(send["status"] for send in sends(service)) == ["failed", "sent"]
    assert len(stored(service)) == 2


def test_files_that_no_email_wants_are_deleted_at_once(
    service: Service, fake_provider: FakeProvider
) -> None:
    render(service, template_with_rules(service, {"condition": "n > 1"}))

    deliver_emails(service, fake_provider)
    maintain(service)

    assert [send["status"] for send in sends(service)] == ["skipped"]
    assert stored(service) == []


@pytest.mark.parametrize("attachments", ["link", "attach_or_link"])
def test_link_needs_a_hosted_file(
    service: Service, fake_provider: FakeProvider, attachments: str
) -> None:
    template_id = template_id_of(service)
    budget = len(service.engine.content) - (attachments == "attach_or_link")
    connection = connect(service, config=SMTP | {"attachment_budget_bytes": budget})
    rule = {"to": "ada@example.com", "attachments": attachments}
    made_rule(service, template_id, connection["id"], **rule)

    render(service, template_id)
    deliver_emails(service, fake_provider)
    maintain(service)

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("failed", "email_needs_hosted_file")
    assert fake_provider.attempts == []
    assert len(stored(service)) == 2


def test_items_of_a_batch_lose_their_files_one_by_one(
    service: Service, fake_provider: FakeProvider
) -> None:
    template_id = template_with_rules(service)
    make_batch(service, 2, template_id=template_id, delivery=UNHOSTED)
    fake_provider.answers = [REJECTED]

    service.run_batches()
    send_emails(service, fake_provider)
    maintain(service)

    by_status = {send["status"]: send["render_id"] for send in sends(service)}
    assert sorted(by_status) == ["failed", "sent"]
    assert len(stored(service)) == 2
    assert all(by_status["failed"] in key for key in stored(service))


@pytest.mark.parametrize("is_sent_first", [True, False])
def test_combined_items_keep_their_files_for_both(
    service: Service, fake_provider: FakeProvider, *, is_sent_first: bool
) -> None:
    template_id = template_with_rules(service)
    files = {"combine": {"zip": True}, "delivery": UNHOSTED}
    make_batch(service, 2, template_id=template_id, **files)
    service.release_batches()
    service.run_queued("BatchItems")
    service.relay_events()
    if is_sent_first:
        send_emails(service, fake_provider)
        service.tick()
        service.run_maintenance()
    assert len(stored(service)) == 4

    service.run_batches()
    if not is_sent_first:
        maintain(service)
        assert len(stored(service)) == 4
        send_emails(service, fake_provider)
        maintain(service)

    assert [send["status"] for send in sends(service)] == ["sent", "sent"]
    assert all(email.files for email in fake_provider.accepted)
    assert stored(service) == []


def test_item_of_a_combined_batch_whose_email_failed_keeps_its_file(
    service: Service, fake_provider: FakeProvider
) -> None:
    template_id = template_with_rules(service)
    files = {"combine": {"zip": True}, "delivery": UNHOSTED}
    make_batch(service, 2, template_id=template_id, **files)
    fake_provider.answers = [REJECTED]

    service.run_batches()
    send_emails(service, fake_provider)
    maintain(service)

    (failed,) = sends(service, status="failed")
    assert len(stored(service)) == 2
    assert all(failed["render_id"] in key for key in stored(service))


def test_maintenance_that_dies_deletes_later(service: Service, fake_provider: FakeProvider) -> None:
    render(service, template_with_rules(service))
    deliver_emails(service, fake_provider)
    service.clock.advance(minutes=1)
    service.tick()
    service.kill_before_commit = True
    with pytest.raises(FunctionKilled):
        service.run_maintenance()
    assert len(stored(service)) == 2

    service.clock.advance(hours=1)
    service.process_due()

    assert stored(service) == []


def test_large_answer_can_be_fetched_after_the_emails(
    service: Service, fake_provider: FakeProvider
) -> None:
    service.engine.content = b"x" * (MAX_RETURNED_BYTES + 1)
    template_id = template_with_rules(service, {"attachments": "none"})

    answer = render(service, template_id, delivery=UNHOSTED | {"type": "binary"})
    deliver_emails(service, fake_provider)
    maintain(service)

    assert answer.status == 303
    assert len(stored(service)) == 2
    service.clock.advance(hours=1)
    service.process_due()
    assert stored(service) == []
