"""Format of CSV files, files that are no CSV, mappings of columns."""

import codecs

import pytest

from chalicelib.core.errors import ServiceError
from chalicelib.features.batches.csv.reader import CsvFormat, check_csv_mapping, read_csv_format

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
        ('"a\t",b', ",", ("a", "b")),
        (" a , b\u00a0;x", ",", ("a", "b\u00a0;x")),
        (" Kunden Name ;b ", ";", ("Kunden Name", "b")),
        ("[Name],<DATE>", ",", ("[Name]", "<DATE>")),
        ('5" x,b', ",", ('5" x', "b")),
    ],
)
def test_delimiter_is_found_outside_quotes(
    header: str, delimiter: str, columns: tuple[str, ...]
) -> None:
    raw = f"\n\r\n{header}\nx".encode()

    found = format_of(raw)

    assert found == CsvFormat(delimiter, columns, 3 + len(header.encode()))


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
        (b'""\n1\n', "no row"),
        (b'"",b\n1,2\n', "no name for column 1"),
        (b"a;b\n;\n ; \n\n", "no row"),
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


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"<!DOCTYPE html><html><body>Sorry, a; b</body></html>\n", "is HTML or XML"),
        (b"\n  <html>\n<body>\n<h1>502</h1>", "is HTML or XML"),
        (b'\xef\xbb\xbf<?xml version="1.0"?>\n<a>\n', "is HTML or XML"),
        (b"<!-- x -->\n<p>\n", "is HTML or XML"),
        (b"<orders>\n<order>1</order>\n", "is HTML or XML"),
        (b"<p>Not found. Sorry.</p>\n<p>x</p>\n", "is HTML or XML"),
        (b'[{"name":"A"}]\n[{"name":"B"}]', "is JSON"),
        (b'[\n  {"name": "A"},\n  {"name": "B"}\n]', "is JSON"),
        (b'{"name":"A","n":1}\n{"name":"B","n":2}\n', "is JSON"),
        (b"{\n\t\n}", "is JSON"),
        (b"[1, 2]\n[3, 4]\n", "is JSON"),
        (ZIP, "workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "workbook"),
        (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF"),
        ("a;b\n1;2\n".encode("utf-16"), "UTF-16"),
        (b"name|amount\nA|1\n", "one column, as '|' is within it"),
        (b"name^amount^x\nA^1^\n", "one column"),
        (b"a\x1fb\n1\x1f2\n", "one column"),
        (b'"name;amount"\n"A;1"\n', "one column, as ';' is within it"),
        (b'"name,amount"\n"A,1"\n', "do not quote whole lines"),
        (b"sep=|\na|b\n1|2\n", "names '|' as its separator"),
    ],
)
def test_other_kinds_of_files_are_named(raw: bytes, reason: str) -> None:
    for has_mapping in (False, True):
        assert reason in refusal(raw, has_mapping=has_mapping)


@pytest.mark.parametrize(
    "raw",
    [
        b"name\nA|1\n",
        b"Net | gross\n1\n",
        b'"Name, first name"\n"Lovelace, Ada"\n',
        b"note\n<b>x</b>\n",
        b"{name}\n1\n",
        b"[name]\n1\n",
        b"<name>,<b>\n1,2\n",
    ],
)
def test_columns_may_look_like_other_kinds(raw: bytes) -> None:
    assert format_of(raw).columns


@pytest.mark.parametrize("bom", [b"", codecs.BOM_UTF8])
@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
@pytest.mark.parametrize("delimiter", [b",", b";", b"\t"])
def test_separator_may_be_named_by_a_first_line(
    bom: bytes, line_end: bytes, delimiter: bytes
) -> None:
    first = (
        bom + b"sep=" + delimiter + line_end + b"a" + delimiter + b"b.,;\t".replace(delimiter, b"")
    )
    raw = first + line_end + b"1" + delimiter + b"2"

    found = read_csv_format(raw, is_whole=True, has_mapping=True)

    assert (found.delimiter, found.columns[0], len(found.columns)) == (delimiter.decode(), "a", 2)
    assert found.data_start == len(first)


def test_column_may_be_named_sep() -> None:
    assert format_of(b"sep=a,b\n1,2\n").columns == ("sep=a", "b")


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
        ({"a/b~c": "C"}, "/csv_mapping/a~1b~0c", "no column 'C'; it has 'A', 'B'"),
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


def test_mapping_names_columns_without_their_blanks() -> None:
    check_csv_mapping(("A B",), {"a": " A B "})


def test_listed_columns_are_bounded() -> None:
    with pytest.raises(ServiceError) as refused:
        check_csv_mapping([f"{n}{'x' * 9_000}" for n in range(500)], {"a": "c" * 9_000})

    (error,) = refused.value.errors
    assert len(error.message) < 2_000
    assert error.message.endswith("and 480 more")
