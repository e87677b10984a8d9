"""Passwords of PDFs, prepared by SASLprep."""

import time
import unicodedata

import pytest

from chalicelib.core.passwords import prepare_password, spellings_of_password


# RFC 4013, 3; then normal forms, spaces, and characters newer than the tables.
@pytest.mark.parametrize(
    ("text", "prepared"),
    [
        ("I\u00adX", "IX"),
        ("user", "user"),
        ("USER", "USER"),
        ("\u00aa", "a"),
        ("\u2168", "IX"),
        ("a\u0308", "ä"),
        ("a\u00a0\u3000b", "a  b"),
        ("\uac00", "\uac00"),
        ("\u1100\u1161", "\uac00"),
        ("Ａ①ﬁ", "A1fi"),
        ("\u05e9\u05dc\u05d5\u05dd1\u05d0", "\u05e9\u05dc\u05d5\u05dd1\u05d0"),
        ("😀🫠", "😀🫠"),
    ],
)
def test_passwords_are_prepared(text: str, prepared: str) -> None:
    assert prepare_password(text) == prepared
    assert prepare_password(prepared) == prepared


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_all_normal_forms_are_one_password(form: str) -> None:
    text = "Ǻ ﬁﬂ ½ 가각 ｶﾞ Å ḍ̇ ệ"

    normalized = unicodedata.normalize(form, text)  # type: ignore[arg-type]

    assert prepare_password(normalized) == prepare_password(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a\tb", "U+0009"),
        ("\x7f", "U+007F"),
        ("a\x00", "U+0000"),
        ("\x85", "U+0085"),
        ("\ue000", "U+E000"),
        ("\U000f0000", "U+F0000"),
        ("\ufffe", "U+FFFE"),
        ("\ud800", "U+D800"),
        ("\ufffd", "U+FFFD"),
        ("\u2ff0", "U+2FF0"),
        ("a\u202eb", "U+202E"),
        ("\U000e0041", "U+E0041"),
        ("\u00ad\u200d", "no character"),
        ("\u06271", "from the right"),
        ("\u05d0a\u05d0", "from the right"),
    ],
)
def test_forbidden_passwords_are_refused(text: str, part: str) -> None:
    with pytest.raises(ValueError, match=part.replace("+", r"\+")) as refused:
        prepare_password(text)

    assert len(str(refused.value)) < 200


def test_a_password_is_tried_as_writers_spell_it() -> None:
    assert list(spellings_of_password("plain", "latin-1")) == [b"plain"]
    assert list(spellings_of_password("", "latin-1")) == [b""]
    assert list(spellings_of_password("ﬁä", "latin-1")) == [
        "fiä".encode(),
        "ﬁä".encode(),
        "ﬁa\u0308".encode(),
        b"?\xe4",
    ]
    assert b"\xed\xa0\x80" in spellings_of_password("\ud800", "latin-1")


def test_preparing_takes_time_by_the_character() -> None:
    begin = time.process_time()

    for text in ("a\u0315\u0301" * 20_000, "\u0301" * 50_000, "\ufdfa" * 5000):
        list(spellings_of_password(text, "latin-1"))

    assert time.process_time() - begin < 10
