"""Emails over SMTP: what arrives, and what becomes of an email at each fault of the server."""

from email.message import Message
from typing import Any, cast

import pytest
from fast_mail_parser import parse_email

from chalicelib.core.mailbox import Mailbox
from chalicelib.engine.delivery.emails import RenderedEmail
from tests.builders.email_connections import SMTP
from tests.builders.email_rules import made_rule
from tests.builders.email_sends import EMAIL, connect, render_with_emails, sends
from tests.builders.pages.certificates import Certificates
from tests.builders.service import Service
from tests.builders.templates import render_template
from tests.fakes.raw_server import raw_server
from tests.fakes.submission_server import (
    HOST,
    PORT,
    STARTTLS,
    SubmissionServer,
    script,
    submission_server,
)

pytestmark = [
    pytest.mark.usefixtures("reachable"),
    # aiosmtpd warns of its own age, and of a server without TLS.
    pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning"),
]

CONFIG = {"host": HOST, "port": PORT, "username": "mailer", "max_per_second": 100}


def connected(service: Service, **config: Any) -> dict[str, Any]:
    return connect(service, credentials={"password": "p"}, config=SMTP | CONFIG | config)


def deliver(service: Service) -> None:
    assert service.relay_events() == []
    assert service.send_emails() == []


def parts_of(mail: Message) -> dict[str, bytes]:
    return {
        part.get_content_type(): cast("bytes", part.get_payload(decode=True))
        for part in mail.walk()
        if not part.is_multipart()
    }


def test_email_arrives(service: Service, server: SubmissionServer) -> None:
    email = RenderedEmail(
        is_wanted=True,
        from_name='Müller, "Söhne" & Co',
        to=(Mailbox("ada@exämple.com", "Доктор Ada, PhD"),),
        cc=(Mailbox("cc@example.com"),),
        bcc=(Mailbox("hidden@example.com", "Hidden"),),
        subject="Rechnung für März " + "ä" * 120,
        html="<p>Hallo</p>\r\n.\r\n" + "x" * 3_000,
        text="Hallo\n.\n..Punkt",
    )
    render_with_emails(service, connected(service), [email])

    deliver(service)

    ((recipients, mail),) = server.mails
    assert recipients == ["ada@xn--exmple-cua.com", "cc@example.com", "hidden@example.com"]
    raw = mail.as_bytes()
    assert b"hidden" not in raw.lower()
    assert max(map(len, raw.split(b"\n"))) <= 998
    (send,) = sends(service)
    assert send["status"] == "sent"
    assert (
        mail["Message-ID"] == send["provider_message_id"] == f"<{send['id'].lower()}@example.com>"
    )
    parts = parts_of(mail)
    assert parts["application/pdf"].startswith(b"%PDF-")
    assert parts["text/plain"].replace(b"\r\n", b"\n").rstrip() == b"Hallo\n.\n..Punkt"
    assert b"<p>Hallo</p>" in parts["text/html"]


def test_another_parser_reads_what_was_written(service: Service, server: SubmissionServer) -> None:
    email = RenderedEmail(
        is_wanted=True,
        from_name='Müller, "Söhne" & Co',
        to=(Mailbox("ada@exämple.com", "Доктор Ada, PhD"), Mailbox("bo@example.com")),
        subject="Rechnung für März " + "ä" * 120,
        html="<p>Hällo</p>\n.\n",
        text="Hällo\n.\n..Punkt",
    )
    render_with_emails(service, connected(service), [email], output={"filename": "Rechnung März €"})

    deliver(service)

    mail = parse_email(server.contents[0])
    assert mail.warnings == []
    assert mail.subject == email.subject
    assert mail.from_ is not None
    sender = mail.from_.display_name, mail.from_.address
    assert sender == (email.from_name, "billing@example.com")
    assert [(each.display_name, each.address) for each in mail.to] == [
        ("Доктор Ada, PhD", "ada@xn--exmple-cua.com"),
        (None, "bo@example.com"),
    ]
    assert mail.text_plain[0].splitlines() == ["Hällo", ".", "..Punkt"]
    assert "<p>Hällo</p>" in mail.text_html[0]
    (attachment,) = mail.attachments
    assert (attachment.filename, attachment.mimetype) == ("Rechnung März €.pdf", "application/pdf")
    assert bytes(attachment.content).startswith(b"%PDF-")


def test_one_session_carries_many_emails(service: Service, server: SubmissionServer) -> None:
    render_with_emails(service, connected(service), [EMAIL] * 5)

    deliver(service)

    assert len(server.mails) == 5
    assert len(server.logins) == 1
    assert {send["status"] for send in sends(service)} == {"sent"}


def test_some_refused_recipients_are_told(service: Service, server: SubmissionServer) -> None:
    server.refused = ["cc@example.com"]
    render_with_emails(service, connected(service))

    deliver(service)

    (send,) = sends(service)
    assert send["status"] == "sent"
    assert send["error"]["message"] == "1 of 2 recipients were refused."
    assert server.mails[0][0] == ["ada@example.com"]


def test_wrong_password_fails_and_makes_the_connection_failing(
    service: Service, server: SubmissionServer
) -> None:
    connection = connect(service, credentials={"password": "no"}, config=SMTP | CONFIG)
    render_with_emails(service, connection)

    deliver(service)

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("failed", "email_provider_auth_failed")
    shown = service.call("GET", f"/v1/email-connections/{connection['id']}").json
    assert (shown["status"], shown["last_error"]["code"]) == (
        "failing",
        "email_provider_auth_failed",
    )
    assert server.mails == []


OK = b"250 OK\r\n"
LOGGED_IN = (b"250-mail\r\n250 AUTH PLAIN\r\n", b"235 OK\r\n")


@pytest.mark.parametrize(
    ("replies", "status", "code"),
    [
        ((b"450 later\r\n",), "retrying", "email_provider_unavailable"),
        ((b"550 never\r\n",), "failed", "email_provider_rejected"),
        ((OK, b"450 later\r\n", b"450 later\r\n"), "retrying", "email_provider_unavailable"),
        ((OK, b"550 no\r\n", b"550 no\r\n"), "failed", "email_provider_rejected"),
        ((OK, OK, OK, b"451 later\r\n"), "retrying", "email_provider_unavailable"),
        ((OK, OK, OK, b"354 go\r\n", b"452 full\r\n"), "retrying", "email_provider_unavailable"),
        ((OK, OK, OK, b"354 go\r\n", b"554 spam\r\n"), "failed", "email_provider_rejected"),
    ],
)
def test_replies_at_each_stage(
    service: Service,
    trusted: Certificates,
    replies: tuple[bytes, ...],
    status: str,
    code: str,
) -> None:
    play = script(
        b"220 mail\r\n",
        STARTTLS,
        b"220 go\r\n",
        *LOGGED_IN,
        *replies,
        tls=trusted.server,
    )
    with raw_server(play, address=(HOST, PORT)):
        render_with_emails(service, connected(service))
        deliver(service)

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == (status, code)


def test_server_without_tls_gets_nothing(service: Service) -> None:
    with submission_server(None) as server:
        render_with_emails(service, connected(service))
        deliver(service)

    (send,) = sends(service)
    assert (send["status"], send["error"]["code"]) == ("retrying", "email_provider_unavailable")
    assert server.logins == []
    assert "STARTTLS" in send["error"]["message"]


def test_rule_of_a_template_sends_what_its_texts_say(
    service: Service, server: SubmissionServer
) -> None:
    rule = made_rule(
        service,
        connection_id=connected(service)["id"],
        to="{{ name }} <{{ address }}>",
        subject="Invoice {{ number }}",
        html="<p>Dear {{ name }}, {{ render.files[0].filename }} is attached.</p>",
        condition="number > 3",
    )
    data = {"name": "Ada & Co", "address": "ada@example.com", "number": 4}
    path = f"/v1/templates/{rule['template_id']}"
    render = render_template(service, path, data=data, reference="R-1").json
    assert render["emails"]["pending"] == 1

    deliver(service)

    ((recipients, mail),) = server.mails
    assert recipients == ["ada@example.com"]
    assert mail["Subject"] == "Invoice 4"
    parts = parts_of(mail)
    filename = render["files"][0]["filename"]
    assert parts["text/plain"].strip() == f"Dear Ada & Co, {filename} is attached.".encode()
    assert f"Dear Ada &amp; Co, {filename}".encode() in parts["text/html"]
    shown = service.call("GET", f"/v1/renders/{render['id']}").json
    assert (shown["emails"]["sent"], shown["emails"]["pending"]) == (1, 0)
    service.call("DELETE", f"/v1/renders/{render['id']}/files")
    assert [key for key in service.objects() if "/emails/" in key] == []


BEYOND_ASCII = {"to": "Jörg <jörg@exämple.com>, 用户@example.com", "subject": "Grüße", "text": "Hä"}


def send_beyond_ascii(service: Service) -> dict[str, Any]:
    rule = made_rule(service, connection_id=connected(service)["id"], **BEYOND_ASCII)
    render_template(service, f"/v1/templates/{rule['template_id']}", data={})
    deliver(service)
    (send,) = sends(service)
    return send


def test_local_parts_beyond_ascii_are_sent_to_a_server_that_takes_them(
    service: Service, server: SubmissionServer
) -> None:
    send = send_beyond_ascii(service)

    assert (send["status"], send["error"]) == ("sent", None)
    ((recipients, _),) = server.mails
    assert recipients == ["jörg@xn--exmple-cua.com", "用户@example.com"]
    mail = parse_email(server.contents[0])
    assert (mail.subject, mail.to[0].display_name) == ("Grüße", "Jörg")
    assert [each.address for each in mail.to] == recipients


def test_local_parts_beyond_ascii_are_refused_where_the_server_takes_none(
    service: Service, trusted: Certificates
) -> None:
    with submission_server(trusted.server, enable_SMTPUTF8=False) as server:
        send = send_beyond_ascii(service)

    assert (send["status"], send["error"]["code"]) == ("failed", "email_address_invalid")
    assert "server takes no addresses" in send["error"]["message"]
    assert server.mails == []


def test_local_part_beyond_ascii_needs_no_more_for_a_sender(
    service: Service, server: SubmissionServer
) -> None:
    sender = {"email": "rechnung.köln@example.com", "name": "Köln"}
    connection = connect(
        service, credentials={"password": "p"}, config=SMTP | CONFIG, default_from=sender
    )
    render_with_emails(service, connection)

    deliver(service)

    assert sends(service)[0]["status"] == "sent"
    assert server.contents[0].count("<rechnung.köln@example.com>".encode()) == 1
