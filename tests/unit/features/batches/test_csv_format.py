"""Format of CSV files, files that are no CSV, mappings of columns."""

import codecs

import pytest

from chalicelib.core.errors import ServiceError
from chalicelib.features.batches.csv_reader import CsvFormat, check_csv_mapping, read_csv_format

HEAD_BYTES = 65_536
PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01"
ZIP = b"PK\x03\x04\x14\x00\x00\x00\x08\x00a,b\n1,2\n"


def format_of(raw: bytes) -> CsvFormat:
    return read_csv_format(raw, is_whole=True)


def refusal(head: bytes, *, is_whole: bool = True, has_mapping: bool = False) -> str:
    with pytest.raises(ServiceError) as refused:
        read_csv_format(head, is_whole=is_whole, has_mapping=has_mapping)
    (error,) = refused.value.errors
    assert (refused.value.code, error.path) == ("validation_error", "/csv_upload_id")
    return error.message


@pytest.mark.parametrize(
    ("header", "delimiter", "columns"),
    [
        ("a,b", ",", ("a", "b")),
        ("a;b", ";", ("a", "b")),
        ("a\tb", "\t", ("a", "b")),
        ("one", ",", ("one",)),
        ('a;"b,c,d,e"', ";", ("a", "b,c,d,e")),
        ('"a;b;""c";d', ";", ('a;b;"c', "d")),
        ('"a\r\nb",c', ",", ("a\r\nb", "c")),
        ('"a\t",b', ",", ("a\t", "b")),
        ('5" x,b', ",", ('5" x', "b")),
    ],
)
def test_delimiter_is_found_outside_quotes(
    header: str, delimiter: str, columns: tuple[str, ...]
) -> None:
    raw = f"\n\r\n{header}\nx".encode()

    found = format_of(raw)

    assert found == CsvFormat(delimiter, columns, 3 + len(header))


def test_byte_order_mark_belongs_to_no_column() -> None:
    raw = codecs.BOM_UTF8 + b"a,b\r\n1,2\r\n"

    assert format_of(raw) == CsvFormat(",", ("a", "b"), 6)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"", "is empty"),
        (codecs.BOM_UTF8, "is empty"),
        (b"\r\n\n\n", "is empty"),
        ("a,b\n1,2\n".encode("utf-16"), "UTF-8"),
        ("a,b\n1,2\n".encode("utf-16-le"), "UTF-8"),
        ("a,ü\n1,2\n".encode("latin-1"), "UTF-8"),
        (b"a,b\n1,\xed\xa0\x80\n", "UTF-8"),
        (b"a,b\n1,2\xe2\x82", "UTF-8"),
        (PNG, "UTF-8"),
        (ZIP, "UTF-8"),
        (b"a,b\n1,\0\n", "UTF-8"),
        (b"a,b", "no row"),
        (b"a,b\r\n\r\n\n", "no row"),
        (b"a,a\n1,2\n", "two columns named 'a'"),
        (b"a,,b\n1,2,3\n", "no name for column 2"),
        (b'""\n1\n', "no name for column 1"),
        (b'a,"b\n1,2\n', "quote that is not closed"),
        (b'a,"b"c\n1,2\n', "text behind a closing quote"),
        (b"a,a.b\n1,2\n", "'a' is a value"),
        (b"a.b.c,a.b\n1,2\n", "'a.b' is a value"),
        (b"Nr.,b\n1,2\n", "between dots"),
        (b".".join([b"a"] * 101) + b",b\n1,2\n", "100 levels"),
    ],
)
def test_file_that_is_no_csv_is_refused(raw: bytes, reason: str) -> None:
    assert reason in refusal(raw)


def test_mapping_makes_paths_of_columns_irrelevant() -> None:
    found = read_csv_format(b"a,a.b,Nr.\n1,2,3\n", is_whole=True, has_mapping=True)

    assert found.columns == ("a", "a.b", "Nr.")
    assert "two columns" in refusal(b"a,a\n1,2\n", has_mapping=True)


def test_header_must_end_within_the_head() -> None:
    head = b"a,b" + b"c" * (HEAD_BYTES - 3)

    assert "does not end" in refusal(head, is_whole=False)
    assert "no row" in refusal(head[:-2] + b"\n\n", is_whole=False)
    assert "does not end" in refusal(b'a,"b\n1,2\n', is_whole=False)


def test_row_and_character_may_be_cut_by_the_border_of_the_head() -> None:
    head = b'a,b\n1,"' + "€".encode() * 21_845

    found = read_csv_format(head[:-1], is_whole=False)

    assert found.columns == ("a", "b")
    assert "UTF-8" in refusal(head[:-1], is_whole=True)


@pytest.mark.parametrize(
    ("mapping", "path", "reason"),
    [
        ({"a": "A", "b": "C"}, "/csv_mapping/b", "no column 'C'"),
        ({"a/b~c": "C"}, "/csv_mapping/a~1b~0c", "no column 'C'"),
        ({"a.b.c": "A", "a.b": "B"}, "/csv_mapping/a.b.c", "'a.b' is a value"),
        ({"a..b": "A"}, "/csv_mapping/a..b", "between dots"),
        ({".a": "A"}, "/csv_mapping/.a", "between dots"),
        ({"a.": "A"}, "/csv_mapping/a.", "between dots"),
    ],
)
def test_mapping_that_cannot_be_followed_is_refused(
    mapping: dict[str, str], path: str, reason: str
) -> None:
    with pytest.raises(ServiceError) as refused:
        check_csv_mapping(("A", "B"), mapping)

    (error,) = refused.value.errors
    assert (refused.value.code, error.path) == ("validation_error", path)
    assert reason in error.message


def test_mapping_may_use_a_column_twice() -> None:
    check_csv_mapping(("A", "B"), {"a.b": "A", "a.c": "A", "ab": "B"})
