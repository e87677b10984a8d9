"""Redaction of addresses that callers give."""

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core.redact_url import redacted_text, redacted_texts, redacted_url, redacted_urls

if TYPE_CHECKING:
    from chalicelib.core.json import Json

SECRET = "s3cret"


@pytest.mark.parametrize(
    ("url", "redacted"),
    [
        ("https://a.test/b.pdf", "https://a.test/b.pdf"),
        ("https://user:s3cret@a.test/b", "https://a.test/b"),
        ("https://s3cret@a.test", "https://a.test"),
        ("https://u:s3@cret@a.test/b@c", "https://a.test/b@c"),
        ("HTTPS:s3cret@a.test/b", "HTTPS:a.test/b"),
        (r"https:\\u:s3cret@a.test\b", r"https:\\a.test\b"),
        (" https://u:s3cret@a.test", " https://a.test"),
        ("//u:s3cret@a.test/b", "//a.test/b"),
        ("https://a.test/b?sig=s3cret", "https://a.test/b?sig=***"),
        ("https://a.test/b?a=1&sig=s3cret=&x", "https://a.test/b?a=***&sig=***&***"),
        ("https://a.test/b?a=1;sig=s3cret", "https://a.test/b?a=***;sig=***"),
        ("https://a.test/b?s3cret", "https://a.test/b?***"),
        ("https://a.test/b?a=x?sig=s3cret", "https://a.test/b?a=***"),
        ("https://a.test/b?", "https://a.test/b?"),
        ("https://a.test/b#part", "https://a.test/b#part"),
        ("https://a.test/b?a=1#token=s3cret", "https://a.test/b?a=***#token=***"),
        ("b.png?token=s3cret", "b.png?token=***"),
        ("data:text/html,a?b=c", "data:text/html,a?b=c"),
        ("", ""),
    ],
)
def test_an_address_loses_user_password_and_values(url: str, redacted: str) -> None:
    assert redacted_url(url) == redacted
    assert redacted_url(redacted) == redacted


@pytest.mark.parametrize(
    ("text", "redacted"),
    [
        ("no address: a@b.test?x=1", "no address: a@b.test?x=1"),
        (
            "from https://u:s3cret@a.test/b?k=s3cret to wss://c.test/?s3cret.",
            "from https://a.test/b?k=*** to wss://c.test/?***",
        ),
        ('{"url":"https://a.test/?k=s3cret","n":1}', '{"url":"https://a.test/?k=***","n":1}'),
        (r'"https:\/\/u:s3cret@a.test\/?k=s3cret"', r'"https:\/\/a.test\/?k=***"'),
    ],
)
def test_addresses_in_a_text_are_redacted(text: str, redacted: str) -> None:
    assert redacted_text(text) == redacted


def test_members_of_json() -> None:
    url = f"https://a.test/?k={SECRET}"
    value: dict[str, Json] = {
        "url": url,
        "text": url,
        "n": 1,
        "files": [{"url": url}, None],
        "in": {"url": None},
    }

    assert redacted_urls(value) == {
        "url": "https://a.test/?k=***",
        "text": url,
        "n": 1,
        "files": [{"url": "https://a.test/?k=***"}, None],
        "in": {"url": None},
    }
    assert SECRET not in str(redacted_texts(value))


_PARTS = st.text(st.characters(codec="ascii", exclude_characters="/?#\\@:&;= \t\n\r\f\v"))


@given(_PARTS, _PARTS, _PARTS, st.sampled_from(["", "&a=b", "#part"]))
def test_no_secret_is_left(user: str, password: str, value: str, end: str) -> None:
    marked = f"https://{user}:{SECRET}{password}@a.test/x?k={value}{SECRET}{end}"

    assert SECRET not in redacted_url(marked)
