"""The text of API keys."""

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.features.workspaces.keys import key_format
from chalicelib.features.workspaces.model import Mode

# Equal in every process: parallel test runs compare the names of the cases.
KEY = key_format.generate("test", random_below=lambda n: n // 2).text


@pytest.mark.parametrize("mode", ["live", "test"])
def test_generated_key_is_parsed_back(mode: Mode) -> None:
    made = key_format.generate(mode)
    parsed = key_format.parse(made.text)

    assert parsed is not None
    assert (parsed.mode, parsed.key_id, parsed.sha256_hex) == (
        mode,
        made.key_id,
        made.sha256_hex,
    )
    prefix, in_mode, key_id, secret = made.text.split("_")
    assert (prefix, in_mode, len(key_id), len(secret)) == ("plt", mode, 24, 40)
    assert made.sha256_hex == hashlib.sha256(secret.encode()).hexdigest()


def test_rolled_key_keeps_its_id() -> None:
    first = key_format.generate("live")
    rolled = key_format.generate("live", key_id=first.key_id)

    assert rolled.key_id == first.key_id
    assert rolled.sha256_hex != first.sha256_hex


def test_checksum_is_crc32_in_six_base62_digits() -> None:
    # CRC-32 of "123456789" is the published check value cbf43926.
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    value = 0
    for digit in key_format.checksum("123456789"):
        value = value * 62 + digits.index(digit)

    assert value == 0xCBF43926
    assert len(key_format.checksum("")) == 6


@given(st.integers(0, len(KEY) - 1), st.characters())
def test_any_changed_character_is_detected(place: int, character: str) -> None:
    changed = KEY[:place] + character + KEY[place + 1 :]

    assert (key_format.parse(changed) is None) is (changed != KEY)


@pytest.mark.parametrize("text", ["", "plt_test_", KEY + "\n", " " + KEY, KEY[:-1], KEY + "0"])
def test_invalid_key_texts_are_refused(text: str) -> None:
    assert key_format.parse(text) is None
