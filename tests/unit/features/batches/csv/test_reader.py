"""Records of CSV files, whole and in parts, and their items."""

import codecs
import csv
import io
import time
import tracemalloc
from collections.abc import Iterator, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.features.batches.csv.lines import MAX_RECORD_BYTES
from chalicelib.features.batches.csv.reader import (
    FIRST_DATA_RECORD,
    CsvFormat,
    CsvRecord,
    item_of_record,
    read_csv_format,
    read_records,
)

HEAD_BYTES = 65_536
NOT_CLOSED = "has a quote that is not closed, or text behind a closing quote"
TOO_LONG = "has more than 1000000 bytes; a quote may not be closed"
# Everything that quoting is about, and characters of two to four bytes.
CHARACTERS = st.sampled_from('ab",;\t\r\n é€\U0001f600\ufeff')
FIELDS = st.text(CHARACTERS, max_size=6)


def format_of(raw: bytes) -> CsvFormat:
    return read_csv_format(raw[:HEAD_BYTES], is_whole=len(raw) <= HEAD_BYTES)


def records_of(raw: bytes, chunks: Sequence[bytes] | None = None) -> list[CsvRecord]:
    """Return the records of a whole file, also if `chunks` cut what is below the header."""
    found = format_of(raw)
    body = chunks or [raw[found.data_start :]]
    return list(read_records(body, found, offset=found.data_start, number=FIRST_DATA_RECORD))


def faults_of(raw: bytes) -> dict[int, str | None]:
    return {record.number: record.fault for record in records_of(raw)}


@st.composite
def files(draw: st.DrawFn) -> tuple[bytes, str, list[list[str]]]:
    """Draw a file as Python writes it, its delimiter, and the rows below its header."""
    width = draw(st.integers(1, 4))
    delimiter = draw(st.sampled_from(",;\t")) if width > 1 else ","
    rows = draw(st.lists(st.lists(FIELDS, min_size=width, max_size=width), min_size=1, max_size=5))
    rows.append(["x"] * width)
    line_end = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    text = io.StringIO(newline="")
    writer = csv.writer(
        text,
        delimiter=delimiter,
        lineterminator=line_end,
        quoting=csv.QUOTE_ALL if draw(st.booleans()) else csv.QUOTE_MINIMAL,
    )
    writer.writerows([[f"c{n}" for n in range(width)], *rows])
    whole = text.getvalue()
    if draw(st.booleans()):
        whole = whole.removesuffix(line_end)
    bom = codecs.BOM_UTF8 if draw(st.booleans()) else b""
    return bom + whole.encode(), delimiter, [row for row in rows if any(map(str.strip, row))]


WRITTEN = files().map(lambda file: file[0])
# Quotes and line ends where they do not belong.
DAMAGED = st.text(CHARACTERS, max_size=60).map(lambda text: f"a,b\n1,2\n{text}".encode())


@given(files())
def test_written_rows_are_read_back(file: tuple[bytes, str, list[list[str]]]) -> None:
    raw, delimiter, rows = file

    records = records_of(raw)

    assert format_of(raw).delimiter == delimiter
    assert [record.fields for record in records] == rows
    assert [record.number for record in records] == list(range(2, len(rows) + 2))


@given(WRITTEN | DAMAGED, st.data())
def test_any_cut_of_the_stream_gives_the_same_records(raw: bytes, data: st.DataObject) -> None:
    start = format_of(raw).data_start
    cuts = sorted(data.draw(st.lists(st.integers(start, len(raw)), max_size=6)))
    chunks = [raw[a:b] for a, b in pairwise([start, *cuts, len(raw)])]
    single = [bytes([byte]) for byte in raw[start:]]

    whole = records_of(raw)

    assert records_of(raw, chunks) == records_of(raw, single) == whole


@given(WRITTEN | DAMAGED)
def test_reading_goes_on_behind_every_record(raw: bytes) -> None:
    found = format_of(raw)
    records = records_of(raw)

    for n, record in enumerate(records):
        rest = read_records([raw[record.end :]], found, offset=record.end, number=record.number + 1)
        assert list(rest) == records[n + 1 :]


def test_empty_lines_have_no_number() -> None:
    raw = b"\na,b\n\r\n\r\r1,2\n\n\n3,4\r\n\r\n5,6"

    assert [(r.number, r.fields) for r in records_of(raw)] == [
        (2, ["1", "2"]),
        (3, ["3", "4"]),
        (4, ["5", "6"]),
    ]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_rows_without_a_value_are_as_empty_as_empty_lines(delimiter: str, line_end: str) -> None:
    # As Excel writes rows that have a format and nothing else, and as others quote them.
    empty = ["@", "@@@", " @ ", '""@""', "  ", '""', '"  "@', '@""', "\u00a0@"]
    lines = ["@", "a@b", *empty, "1@2", *empty, "@3", '""@4', *empty, "@@5", *empty]
    raw = line_end.join(lines).replace("@", delimiter).encode()

    records = records_of(raw, [bytes([byte]) for byte in raw[format_of(raw).data_start :]])

    assert records == records_of(raw)
    assert [(record.number, record.fields) for record in records] == [
        (2, ["1", "2"]),
        (3, ["", "3"]),
        (4, ["", "4"]),
        (5, None),
    ]


def test_millions_of_rows_without_a_value_take_a_moment() -> None:
    raw = b"a;b\n0;0\n" + b";\n" * 4_000_000 + b'"";""\r\n' * 1_000_000 + b"1;2\n"
    started = time.process_time()

    assert [record.number for record in records_of(raw, [raw[4:]])] == [2, 3]

    assert time.process_time() - started < 5


def test_bad_record_leaves_the_others_alone() -> None:
    long = b"x" * (MAX_RECORD_BYTES - 2)
    raw = b"\n".join(
        [
            b"a,b",
            b"1",
            b"1,2,3",
            b'"1"x,2',
            b'1,"2" ',
            b"1," + long,
            b"1,x" + long,
            b"x" * HEAD_BYTES + b",\xff",
            b"1,2",
        ]
    )

    faults = faults_of(raw)

    assert list(faults) == [2, 3, 4, 5, 6, 7, 8, 9]
    assert faults[2] == "has another number of fields (1) than the header (2)"
    assert faults[3] == "has another number of fields (3) than the header (2)"
    assert faults[4] == faults[5] == NOT_CLOSED
    assert faults[6] is None
    assert faults[7] == TOO_LONG
    assert faults[8] == "is not UTF-8"
    assert faults[9] is None


def test_quote_that_is_not_closed_makes_the_rest_one_bad_record() -> None:
    raw = b'a,b\n1,2\n3,"4\n5,6\n7,8\n'

    good, bad = records_of(raw)

    assert good.fields == ["1", "2"]
    assert bad == CsvRecord(3, None, len(raw), NOT_CLOSED)


def test_memory_is_bounded_for_a_record_of_any_size() -> None:
    def body() -> Iterator[bytes]:
        yield b'1,"'
        yield from (b"x,\n" * 20_000 for _ in range(500))
        yield b'"\n3,4\n'

    found = CsvFormat(",", ("a", "b"), 4)
    tracemalloc.start()
    try:
        bad, good = read_records(body(), found, offset=4, number=FIRST_DATA_RECORD)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert bad.fault == TOO_LONG
    assert (good.number, good.fields, good.end) == (3, ["3", "4"], 4 + 3 + 30_000_000 + 5)
    assert peak < 3 * MAX_RECORD_BYTES


def test_more_records_than_a_batch_has_are_counted() -> None:
    raw = b"a,b\n" + b"1,2\n" * 100_001

    records = records_of(raw)

    assert (len(records), records[-1].number) == (100_001, 100_002)


@pytest.mark.parametrize("byte", [b"\n", b"\r", b'"', b","], ids=repr)
def test_long_runs_of_one_byte_are_read_once(byte: bytes) -> None:
    found = CsvFormat(",", ("a",), 2)
    faults = [] if byte in b"\r\n" else [TOO_LONG]

    for size in (20_000_000, 1_000):
        chunks = (byte * size for _ in range(20_000_000 // size))
        records = list(read_records(chunks, found, offset=2, number=FIRST_DATA_RECORD))
        assert [record.fault for record in records] == faults


COLUMNS = ("a.b", "a.c.d", "e", "_filename", "_reference")


def record(*fields: str) -> CsvRecord:
    return CsvRecord(7, list(fields), 0, None)


def test_columns_become_nested_data() -> None:
    item = item_of_record(record("1", "", "x", "f.pdf", "r"), COLUMNS, None)

    assert item == ({"a": {"b": "1", "c": {"d": ""}}, "e": "x"}, "f.pdf", "r", None)


def test_empty_names_are_none() -> None:
    item = item_of_record(record("1", "2", "3", "", ""), COLUMNS, None)

    assert (item.filename, item.reference) == (None, None)


def test_mapped_columns_alone_become_data() -> None:
    mapping = {"customer.name": "e", "customer.id": "a.b"}

    item = item_of_record(record("1", "2", "Ada", "f", "r"), COLUMNS, mapping)

    assert item == ({"customer": {"name": "Ada", "id": "1"}}, "f", "r", None)


@pytest.mark.parametrize("name", ["_filename", "_reference"])
def test_name_that_is_too_long_makes_a_bad_row(name: str) -> None:
    assert item_of_record(record("x" * 255), (name,), None).error is None

    item = item_of_record(record("x" * 256), (name,), None)

    assert item.error == {
        "code": "csv_row_invalid",
        "message": f"Row 7 has a {name} of more than 255 characters.",
        "row": 7,
    }


def test_bad_record_becomes_the_error_of_its_item() -> None:
    bad = CsvRecord(3, None, 0, "is not UTF-8")

    item = item_of_record(bad, COLUMNS, None)

    assert item == (
        {},
        None,
        None,
        {"code": "csv_row_invalid", "message": "Row 3 is not UTF-8.", "row": 3},
    )


def test_names_of_other_languages_objects_are_only_names() -> None:
    columns = format_of(b"__proto__.a,constructor,__class__.__init__\n1,2,3\n").columns

    item = item_of_record(record("1", "2", "3"), columns, None)

    assert item.data == {
        "__proto__": {"a": "1"},
        "constructor": "2",
        "__class__": {"__init__": "3"},
    }


def test_hundred_levels_are_data() -> None:
    name = ".".join(["a"] * 100)
    columns = format_of(f"{name}\n1\n".encode()).columns

    value: object = item_of_record(record("1"), columns, None).data
    for _ in range(100):
        assert isinstance(value, dict)
        value = value["a"]

    assert value == "1"
