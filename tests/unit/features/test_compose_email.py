"""Composed message of an email: what any reader finds in it, and what no line of it may hold."""

import datetime as dt
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.policy import compat32
from email.utils import getaddresses, parseaddr
from typing import Any

import pytest

from chalicelib.core.mailbox import Mailbox
from chalicelib.features.emails.compose import ascii_domain, compose_message
from chalicelib.features.emails.outgoing import AttachedFile, OutgoingEmail

EMAIL = OutgoingEmail(
    send_id="ems_1",
    message_id="<ems_1@example.com>",
    date=dt.datetime(2026, 11, 26, tzinfo=dt.UTC),
    sender=Mailbox("from@example.com", "Sender"),
    reply_to=None,
    to=(Mailbox("ada@example.com"),),
    cc=(),
    bcc=(Mailbox("hidden@example.com"),),
    subject="Your invoice",
    html="<p>Hello</p>",
    text="Hello",
)


def composed(**changes: Any) -> bytes:
    return compose_message(EMAIL._replace(**changes), is_utf8=False)


def read(content: bytes) -> Message:
    # Not the policy that wrote it.
    return message_from_bytes(content, policy=compat32)


def decoded(field: str) -> str:
    return str(make_header(decode_header(field)))


def attached(file: AttachedFile) -> Message:
    return list(read(composed(files=(file,))).walk())[-1]


@pytest.mark.parametrize(
    "name",
    ['Müller, "Söhne"; <x@y.example>', 'a "quoted\\" name, Ltd', "x@y.example", "Ж" * 200],
)
def test_names_are_read_as_they_were_written(name: str) -> None:
    message = read(composed(to=(Mailbox("ada@example.com", name), Mailbox("bob@example.com"))))

    addresses = getaddresses([str(message["To"])])

    assert [address for _, address in addresses] == ["ada@example.com", "bob@example.com"]
    assert decoded(addresses[0][0]) == name


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "=?utf-8?q?Gratis?="},
        {"sender": Mailbox("from@example.com", "=?utf-8?q?Gratis?=")},
        {"files": (AttachedFile("=?utf-8?q?Gratis?=.pdf", "application/pdf", b"%PDF"),)},
    ],
)
def test_text_like_an_encoded_word_stays_text(changes: dict[str, Any]) -> None:
    message = read(composed(**changes))

    texts = [str(message["Subject"]), parseaddr(str(message["From"]))[0]]
    texts += [str(part.get_filename()) for part in message.walk()]
    (literal,) = [text for text in texts if "Gratis" in text]

    assert decoded(literal).startswith("= ?utf-8?q?Gratis?=")


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "Grüße"},
        {"html": "<p>" + "ä" * 3_000},
        {"html": "<p>" + "x" * 3_000},
        {"subject": "x" * 2_000},
        {"to": tuple(Mailbox(f"u{number}@example.com", "Ünal, U.") for number in range(50))},
        {"files": (AttachedFile("ä" * 200 + ".pdf", "application/pdf", b"\xff" * 3_000),)},
        {"files": (AttachedFile("a" * 250 + ".html", "text/html; charset=utf-8", b"\xc3\xa4"),)},
    ],
)
def test_any_server_takes_the_lines(changes: dict[str, Any]) -> None:
    content = composed(**changes)

    assert content.isascii()
    assert max(map(len, content.split(b"\r\n"))) <= 998
    assert set(content.replace(b"\r\n", b"")).isdisjoint(b"\r\n")


def test_nul_is_left_out() -> None:
    content = composed(text="a\0b", html="<p>a\0b")

    assert b"\0" not in content
    assert content.count(b"ab") == 2


@pytest.mark.parametrize(
    ("filename", "content_type"),
    [
        ("Rechnung März 2026; «Büro».pdf", "application/pdf"),
        ("請求書.xml", "application/xml"),
        ('a "b".png', "image/png"),
        ("ä" * 100 + ".zip", "application/zip"),
    ],
)
def test_files_keep_name_type_and_bytes(filename: str, content_type: str) -> None:
    part = attached(AttachedFile(filename, content_type, b"\0\r\n.\r\n\xff"))

    assert part.get_filename() == filename
    assert part.get_content_type() == content_type
    assert part.get_content_disposition() == "attachment"
    assert part.get_payload(decode=True) == b"\0\r\n.\r\n\xff"


def test_attached_document_keeps_its_type_and_charset() -> None:
    part = attached(AttachedFile("a.html", "text/html; charset=utf-8", "ä".encode()))

    assert (part.get_content_type(), part.get_content_charset()) == ("text/html", "utf-8")
    assert part.get_payload(decode=True) == "ä".encode()


def test_hidden_recipients_are_in_no_header() -> None:
    assert b"hidden" not in composed()


@pytest.mark.parametrize(
    ("address", "known_as"),
    [
        ("a@example.com", "a@example.com"),
        ("a@exämple.com", "a@xn--exmple-cua.com"),
        # Another domain than fass.de.
        ("a@faß.de", "a@xn--fa-hia.de"),
        ("a@☃.example", "a@xn--n3h.example"),
        ("a@ab--cd.example", "a@ab--cd.example"),
    ],
)
def test_domains_are_those_that_servers_know(address: str, known_as: str) -> None:
    assert ascii_domain(address) == known_as
