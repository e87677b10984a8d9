"""Header fields: two parsers, neither of which wrote them, read what was given."""

import random
import re
import unicodedata
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import EmailMessage
from email.policy import SMTP, compat32
from email.utils import getaddresses
from typing import Any

import pytest
from fast_mail_parser import parse_email

from chalicelib.core.mail_headers import (
    WrittenHeader,
    address_header,
    disposition_header,
    mailbox_text,
    text_header,
    type_header,
)
from chalicelib.core.mailbox import Mailbox

WORD = re.compile(r"=\?utf-8\?[qb]\?[^?\s]+\?=")
# One alphabet of each script and kind: letters, marks, signs, wide characters, beyond 16 bits.
ALPHABETS = [
    "abcxyzABC0189",
    "aeiouäöüßéèçñøåœ€…„“",
    "abc.,:;()<>[]@\"\\/_-+*=?!'&%$#|~^`{}",
    "ЖдщїѣΩλπאבגدكمالهندי",
    "กขคงเ้ิ์नमस्तेதமிழ்",
    "請求書発行株式会社ひらがなカタカナ한국어송장",
    "😀👩‍👩‍👧🏳️‍🌈🧾𝒜𠮷",
    "ą́ȁ̈q̣̇",
]
# Reported: the library's folding joined two words, and added blanks.
REPORTED = [
    "Re: [SOS-1495488] Commande et livraison - … Tribune de Genève et tous les titres Tamedia",
    "Zahlungserinnerung Köln für Mahnung Ihre Ihre & für an Ihrer für",
    "a  ä  b",
    " ä",
    "ä ",
    "x" * 998,
    "ä" * 998,
    "😀" * 998,
    "a " * 400 + "ä",
    "word " * 199 + "word",
]


def written(*fields: WrittenHeader) -> bytes:
    message = EmailMessage(policy=SMTP)
    message.set_content("x")
    for field in fields:
        del message[field.name]
        message[field.name] = field
    return message.as_bytes()


def texts() -> list[str]:
    source = random.Random(41)  # noqa: S311 -- the same in every run
    made = []
    for length in range(1, 999):
        letters = "".join(source.sample(ALPHABETS, source.randint(1, 4)))
        text = "".join(
            " " if source.random() < 0.15 else source.choice(letters) for _ in range(length)
        )
        # Blanks around a text are no part of a field.
        text = text.strip().replace("=?", "= ?")
        made.append(text or "ä")
    return made


def check_lines(content: bytes) -> None:
    head = content.partition(b"\r\n\r\n")[0].decode("ascii")
    for line in head.split("\r\n"):
        assert len(line) <= 998
        if "=?" in line:
            assert len(line) <= 76, line
        assert line.strip(), "a line of blanks"
        for word in WORD.findall(line):
            assert len(word) <= 75
        # Encoded words have white space around them.
        assert "?==?" not in line


@pytest.mark.parametrize("texts_of", [texts, lambda: REPORTED], ids=["random", "reported"])
def test_two_parsers_read_texts_of_all_scripts_at_every_length(texts_of: Any) -> None:
    for text in texts_of():
        content = written(text_header("Subject", text))

        check_lines(content)
        old = re.sub(r"\r\n(?= )", "", message_from_bytes(content, policy=compat32)["Subject"])
        assert str(make_header(decode_header(old))).strip() == text.strip()
        assert (parse_email(content).subject or "").strip() == text.strip()


def test_two_parsers_read_names_of_all_scripts() -> None:
    for number, text in enumerate(texts()[:400]):
        mailboxes = [Mailbox(f"u{number}@example.com", text), Mailbox("b" * 60 + "@example.com")]
        content = written(address_header("To", [*mailboxes, mailboxes[0]]))

        check_lines(content)
        old = getaddresses([message_from_bytes(content, policy=compat32)["To"]])
        assert [address for _, address in old] == [
            each.email for each in [*mailboxes, mailboxes[0]]
        ]
        assert str(make_header(decode_header(old[0][0]))) == text
        new = parse_email(content).to
        assert (new[0].display_name, new[0].address) == (text, mailboxes[0].email)
        assert len(new) == 3


def test_mailbox_in_one_line() -> None:
    line = mailbox_text(Mailbox("ada@example.com", "Доктор Ада, " * 12))

    assert "\r" not in line
    assert line.isascii()
    ((name, address),) = getaddresses([line])
    assert str(make_header(decode_header(name))).strip() == ("Доктор Ада, " * 12).strip()
    assert address == "ada@example.com"


@pytest.mark.parametrize(
    "name",
    [
        "invoice.pdf",
        'a "b" \\ c.pdf',
        "Rechnung März 2026; «Büro».pdf",
        "請求書" * 80 + ".pdf",
        "a" * 251 + ".pdf",
        "😀.pdf",
    ],
)
def test_readers_old_and_new_find_the_name_of_a_file(name: str) -> None:
    content = written(type_header("application/pdf", name), disposition_header(name))

    check_lines(content)
    message = message_from_bytes(content, policy=compat32)
    assert message.get_filename() == name
    given = message.get_param("name")
    assert isinstance(given, str)
    assert str(make_header(decode_header(given.replace('\\"', '"').replace("\\\\", "\\")))) in {
        name,
        name.replace("\\", ""),
    }


def test_nothing_in_a_text_ends_its_line() -> None:
    breaking = "".join(
        chr(code) for code in range(0x2100) if unicodedata.category(chr(code))[0] in "CZ"
    )
    for field in (
        text_header("Subject", f"a{breaking}b"),
        address_header("Subject", [Mailbox("a@example.com", breaking)]),
        type_header("application/pdf", breaking),
        disposition_header(breaking),
    ):
        assert len(list(re.finditer(r"\r\n(?! )|\r(?!\n)|(?<!\r)\n", field))) == 0
        assert field.isascii()
        assert field.replace("\r\n", "").isprintable()
