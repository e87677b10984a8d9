"""Mailboxes: quoted names may hold what divides a name from an address."""

import pytest

from chalicelib.core.mailbox import Mailbox, parse_mailbox


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('"Doe <Sales>" <ada@example.com>', "Doe <Sales>"),
        (r'"a \"<b>\" \\" <ada@example.com>', 'a "<b>" \\'),
        ('O"Neil <ada@example.com>', 'O"Neil'),
        ("Ada Byron <ada@example.com>", "Ada Byron"),
        ("<ada@example.com>", None),
    ],
)
def test_name_before_an_address(text: str, name: str | None) -> None:
    assert parse_mailbox(text) == Mailbox("ada@example.com", name)


@pytest.mark.parametrize(
    "text",
    ["Doe <Sales> <ada@example.com>", '"Doe <ada@example.com>"', '"a" <b> <ada@example.com>', "<>"],
)
def test_what_is_no_mailbox(text: str) -> None:
    assert parse_mailbox(text) is None


def test_many_quotes_are_read_in_a_moment() -> None:
    # Backtracking would not end.
    assert parse_mailbox('"\\' * 256) is None
    assert parse_mailbox('"' * 511 + "<") is None
