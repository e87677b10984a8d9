"""Files of emails: attached as far as they fit, linked, or neither."""

from typing import Any

import pytest

from chalicelib.engine.delivery.emails import DOWNLOADS_MARKER, RenderedEmail
from tests.builders.email_connections import SMTP
from tests.builders.email_rules import made_rule
from tests.builders.email_sends import ADA, connect, deliver_emails, render_with_emails, sends
from tests.builders.service import Service
from tests.builders.templates import render_template
from tests.fakes.email_provider import FakeProvider

FORMATS = {"formats": ["pdf", "png"]}


def deliver(
    service: Service,
    fake_provider: FakeProvider,
    *,
    budget: int = 1_000_000,
    html: str = "<html><body><p>Hi</p></body></html>",
    text: str = "Hi",
    **rule: Any,
) -> dict[str, Any]:
    """Send the email of a render with a PDF and a PNG, and return its send."""
    connection = connect(service, config=SMTP | {"attachment_budget_bytes": budget})
    email = RenderedEmail(is_wanted=True, to=(ADA,), subject="S", html=html, text=text)
    render_with_emails(service, connection, [email], rule=rule, output=FORMATS)
    deliver_emails(service, fake_provider)
    (send,) = sends(service)
    return send


def modes(send: dict[str, Any]) -> dict[str, str]:
    return {each["filename"].rpartition(".")[2]: each["mode"] for each in send["attachments"]}


def test_files_that_do_not_fit_are_linked(service: Service, fake_provider: FakeProvider) -> None:
    size = len(service.engine.content)

    send = deliver(service, fake_provider, budget=size)

    assert modes(send) == {"pdf": "attached", "png": "linked"}
    (email,) = fake_provider.accepted
    assert [file.filename.rpartition(".")[2] for file in email.files] == ["pdf"]
    assert email.html is not None
    assert email.text is not None
    link = email.text.partition(".png: ")[2].strip()
    assert email.html.endswith("</p></body></html>")
    assert link.replace("&", "&amp;") in email.html
    target = link.removeprefix("https://files.test")
    assert service.call("GET", target, key=None).status == 302
    service.clock.advance(days=7, seconds=-2)
    assert service.call("GET", target, key=None).status == 302
    service.clock.advance(seconds=4)
    assert service.call("GET", target, key=None).code == "invalid_signature"


def test_template_at_the_provider_gets_the_links(
    service: Service, fake_provider: FakeProvider
) -> None:
    email = RenderedEmail(is_wanted=True, to=(ADA,), params={"n": 1, "downloads": "mine"})
    rule = {"attachments": "link", "provider_template_id": 7}
    render_with_emails(service, connect(service), [email], rule=rule, output=FORMATS)

    deliver_emails(service, fake_provider)

    (accepted,) = fake_provider.accepted
    assert accepted.template is not None
    assert accepted.template.params["n"] == 1
    links = accepted.template.params["downloads"]
    assert isinstance(links, list)
    assert [link["name"][-4:] for link in links] == [".pdf", ".png"]
    assert all(link["url"].startswith("https://files.test/files/") for link in links)


def test_links_stand_at_their_marker(service: Service, fake_provider: FakeProvider) -> None:
    marked = f"before {DOWNLOADS_MARKER} behind"

    deliver(service, fake_provider, html=marked, text=marked, attachments="link")

    (email,) = fake_provider.accepted
    assert email.files == ()
    for body in (email.html, email.text):
        assert body is not None
        assert DOWNLOADS_MARKER not in body
        assert body.startswith("before ")
        assert body.endswith(" behind")
        assert body.count("https://files.test/files/") == 2


def test_marker_without_links_is_removed(service: Service, fake_provider: FakeProvider) -> None:
    deliver(
        service, fake_provider, html=f"<p>{DOWNLOADS_MARKER}</p>", text="Hi", attachments="attach"
    )

    (email,) = fake_provider.accepted
    assert (email.html, email.text) == ("<p></p>", "Hi")
    assert len(email.files) == 2


def test_formats_of_the_rule_choose(service: Service, fake_provider: FakeProvider) -> None:
    send = deliver(service, fake_provider, attach_formats=("png",))

    assert modes(send) == {"png": "attached"}


def test_rule_may_send_no_files(service: Service, fake_provider: FakeProvider) -> None:
    send = deliver(service, fake_provider, attachments="none")

    assert send["attachments"] == []
    assert fake_provider.accepted[0].files == ()
    assert fake_provider.accepted[0].text == "Hi"


def test_file_that_must_be_attached_and_does_not_fit_fails(
    service: Service, fake_provider: FakeProvider
) -> None:
    send = deliver(service, fake_provider, budget=len(service.engine.content), attachments="attach")

    assert (send["status"], send["error"]["code"]) == ("failed", "email_attachment_too_large")
    assert fake_provider.attempts == []


@pytest.mark.parametrize(
    ("filename", "named"), [(None, "Rechnung März.pdf"), ("Beleg 7", "Beleg 7.pdf")]
)
def test_attachment_without_a_name_is_called_after_the_template(
    service: Service, fake_provider: FakeProvider, filename: str | None, named: str
) -> None:
    rule = made_rule(
        service, connection_id=connect(service)["id"], to="ada@example.com", text="Hi", html=""
    )
    path = f"/v1/templates/{rule['template_id']}"
    assert service.call("PATCH", path, json_body={"name": "Rechnung März"}).status == 200
    render_template(service, path, **({"output": {"filename": filename}} if filename else {}))

    deliver_emails(service, fake_provider)

    (email,) = fake_provider.accepted
    assert [file.filename for file in email.files] == [named]
    (send,) = sends(service)
    assert [each["filename"] for each in send["attachments"]] == [named]
