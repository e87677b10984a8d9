"""Strict JSON: accepted and refused texts."""

import contextlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.core import json as strict
from chalicelib.core.errors import ServiceError

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text("abc\u00e9\U0001f600"), inner),
    max_leaves=20,
)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (b'{"a": }', "line 1, column 7"),
        (b'{\n"a": 1,\n}', "line 2, column 7"),
        (b"{} {}", "line 1, column 4"),
        (b'\xef\xbb\xbf{"a": 1}', "byte order mark"),
        (b'{"a": "\xff"}', "line 1, column 8"),
        (b'{"a":\n "\xc3\x28"}', "line 2, column 3"),
        ('{"a": 1}'.encode("utf-16"), "UTF-8"),
        (b'{"a": 1, "b": 2, "a": 3}', "'a' stands twice"),
        (b'{"x": [{"k": 1, "\\u006b": 2}]}', "'k' stands twice"),
        (b'{"a": NaN}', "NaN"),
        (b"[-Infinity]", "-Infinity"),
        (b"[1e999]", "double"),
        (b"[-1e999]", "double"),
        (b"[" + b"9" * 301 + b"]", "300 digits"),
        (b"[" + b"9" * 5000 + b"]", "300 digits"),
        (b'["\\ud800"]', "surrogate pair (line 1, column 3)"),
        (b'["\\udc00"]', "surrogate pair"),
        (b'["\\ud83dx\\ude00"]', "surrogate pair"),
        (b'["\\ud83d\\ud83d\\ude00"]', "surrogate pair"),
        (b'{"\\ud800": 1}', "surrogate pair"),
        (b'["\\ud83d\\n"]', "surrogate pair"),
        (b'["a\nb"]', "control character"),
        (b"['a']", "line 1, column 2"),
        (b"[01]", "line 1, column 3"),
        (b'["\\x"]', "escape"),
    ],
)
def test_invalid_json_is_refused_with_its_position(data: bytes, message: str) -> None:
    with pytest.raises(ServiceError) as caught:
        strict.loads(data)

    assert caught.value.code == "invalid_json"
    assert message in caught.value.detail


@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"a":'])
@pytest.mark.parametrize("depth", [101, 10_000, 200_000])
def test_deep_nesting_is_refused_without_a_crash(opening: bytes, depth: int) -> None:
    with pytest.raises(ServiceError, match="deeper than 100"):
        strict.loads(opening * depth)


def test_depth_of_one_hundred_is_read() -> None:
    assert strict.loads(b"[" * 100 + b"]" * 100)


def test_brackets_in_strings_do_not_count_as_depth() -> None:
    text = '["' + "[{" * 500 + '\\"' + "[" * 500 + '"]'

    assert strict.loads(text.encode()) == [json.loads(text)[0]]


def test_unclosed_string_full_of_escaped_quotes_takes_linear_time() -> None:
    with pytest.raises(ServiceError, match="Unterminated"):
        strict.loads(b"[" * 60 + b'"' + b'\\"[[' * 500_000)


def test_surrogate_pairs_and_escaped_backslashes_are_read() -> None:
    assert strict.loads(b'["\\ud83d\\ude00", "\\\\ud800", "\\\\\\ud83d\\ude00"]') == [
        "\U0001f600",
        "\\ud800",
        "\\\U0001f600",
    ]


@given(VALUES)
def test_every_json_value_round_trips(value: object) -> None:
    assert strict.loads(strict.dumps(value).encode()) == value
    assert strict.loads(json.dumps(value).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with contextlib.suppress(ServiceError):
        strict.loads(data)


@given(VALUES)
def test_canonical_bytes_survive_a_round_trip(value: strict.Json) -> None:
    once = strict.canonical_bytes(value)

    assert strict.canonical_bytes(strict.loads(once)) == once


def test_canonical_ignores_order_blanks_escapes_and_number_forms() -> None:
    first = strict.loads(b'{"b": 1.0, "a": "\\u00e9"}')
    second = strict.loads('{"a":"é","b":1}'.encode())

    assert strict.canonical_bytes(first) == strict.canonical_bytes(second)
    assert strict.canonical_bytes({"a": 1}) != strict.canonical_bytes({"a": "1"})
    assert strict.canonical_bytes([1, 2]) != strict.canonical_bytes([2, 1])


@pytest.mark.parametrize("text", ["1.0", "[1.0]", '{"a":-0.0}', "[1e2,1]", "[1E16]", '["1.0",2.0]'])
def test_canonical_writes_whole_numbers_one_way(text: str) -> None:
    whole = strict.canonical_bytes(strict.loads(text.encode()))

    assert b"e" not in whole.replace(b"e+16", b"")
    assert b".0" not in whole.replace(b'"1.0"', b"")
