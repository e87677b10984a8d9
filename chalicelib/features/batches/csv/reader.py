"""CSV files of batches: their format, records of a stream of any size, items of records."""

import codecs
import csv
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.core.errors import ServiceError, json_pointer, raise_all, validation_error
from chalicelib.core.json import MAX_DEPTH, JsonObject
from chalicelib.features.batches.csv.lines import MAX_RECORD_BYTES, Line, split_lines
from chalicelib.features.batches.csv.other_kinds import fault_of_one_column, other_kind

MAX_NAME_CHARACTERS: Final = 255
FIRST_DATA_RECORD: Final = 2
_FILENAME: Final = "_filename"
_REFERENCE: Final = "_reference"
_DELIMITERS: Final = (b",", b";", b"\t")
# A quoted field with any delimiter, a delimiter, or the end of the header.
_HEADER_TOKEN: Final = re.compile(rb'(?<![^,;\t])"(?:[^"]++|"")*+"?|[,;\t]|[\r\n]')
_LINE_END: Final = b"\r\n"
# What Excel reads, and some programs write: a first line that is no record.
_NAMED_DELIMITER: Final = re.compile(rb"[Ss][Ee][Pp]=([^\r\n\"])[,;\t]*+(?:\r\n?|\n)")
_MAX_LISTED: Final = 20
_MAX_LISTED_CHARACTERS: Final = 50

type _Tree = dict[str, str | _Tree]


class CsvFormat(NamedTuple):
    """Delimiter and columns of a file, and the byte offset behind its header."""

    delimiter: str
    columns: tuple[str, ...]
    data_start: int


class CsvRecord(NamedTuple):
    """One record: its fields, or the fault for which it cannot be used.

    The header has the number 1; lines that are empty, or have no value, have none. `end` is the
    offset behind its last byte, where its line end stands.
    """

    number: int
    fields: Sequence[str] | None
    end: int
    fault: str | None


class _Fields(NamedTuple):
    fields: list[str] | None
    fault: str | None
    end: int


class CsvItem(NamedTuple):
    """The item of a record, or the error of a bad one; empty texts are None."""

    data: JsonObject
    filename: str | None
    reference: str | None
    error: JsonObject | None


def read_csv_format(head: bytes, *, is_whole: bool, has_mapping: bool = False) -> CsvFormat:
    """Return the format of a file by its first 64 KB; raise `validation_error` if it is no CSV.

    `is_whole`: nothing follows. Without a mapping the columns must also be paths of data.
    """
    fault = other_kind(head)
    if fault is not None:
        raise _bad_file(fault)
    _check_text(head, is_whole=is_whole)
    delimiter, start = _find_delimiter(head)
    lines = split_lines([head[start:]], delimiter, start)
    header, header_end = next(lines, (None, 0))
    if header is None:
        raise _bad_file("is empty")
    if header_end == len(head) and not is_whole:
        raise _bad_file("has a header that does not end within the first 64 KB")
    columns = _columns(header, delimiter)
    _check_first_row(columns, next(_filled_records(lines, delimiter), None))
    if not has_mapping:
        _check_column_paths(columns)
    return CsvFormat(delimiter, tuple(columns), header_end)


def check_csv_mapping(columns: Sequence[str], mapping: Mapping[str, str]) -> None:
    """Raise `validation_error` for a path of the mapping whose column or place does not exist."""
    raise_all(_mapping_errors(columns, mapping))


def _mapping_errors(columns: Sequence[str], mapping: Mapping[str, str]) -> Iterator[ServiceError]:
    known = frozenset(columns)
    for path, column in mapping.items():
        fault = _path_fault(path, mapping.keys())
        if fault is None and column.strip() not in known:
            fault = f"the file has no column {_quote(column)}; it has {_list_columns(columns)}"
        if fault is not None:
            yield validation_error(json_pointer([path], "/csv_mapping"), fault)


def read_records(
    chunks: Iterable[bytes], csv_format: CsvFormat, *, offset: int, number: int
) -> Iterator[CsvRecord]:
    """Yield the records of a stream that begins at `offset` of the file, with record `number`.

    The first call begins at `data_start` with FIRST_DATA_RECORD, a later one at the `end` of a
    record with the number after its own. Memory holds one chunk and MAX_RECORD_BYTES.
    """
    delimiter, width = csv_format.delimiter, len(csv_format.columns)
    for found in _filled_records(split_lines(chunks, delimiter, offset), delimiter):
        record = CsvRecord(number, found.fields, found.end, found.fault)
        if found.fields is not None and len(found.fields) != width:
            count = len(found.fields)
            fault = f"has another number of fields ({count}) than the header ({width})"
            record = record._replace(fields=None, fault=fault)
        yield record
        number += 1


def item_of_record(
    record: CsvRecord, columns: Sequence[str], mapping: Mapping[str, str] | None
) -> CsvItem:
    """Return the item of a record; `columns` and `mapping` have been checked."""
    if record.fields is None:
        return _bad_item(record, record.fault or "")
    values = dict(zip(map(str.strip, columns), record.fields, strict=True))
    for name in (_FILENAME, _REFERENCE):
        if len(values.get(name, "")) > MAX_NAME_CHARACTERS:
            return _bad_item(record, f"has a {name} of more than {MAX_NAME_CHARACTERS} characters")
    data: _Tree = {}
    for path, column in _data_paths(columns, mapping):
        _put(data, path.split("."), values[column])
    return CsvItem(data, values.get(_FILENAME) or None, values.get(_REFERENCE) or None, None)


def _data_paths(
    columns: Sequence[str], mapping: Mapping[str, str] | None
) -> Iterable[tuple[str, str]]:
    if mapping is not None:
        return [(path, column.strip()) for path, column in mapping.items()]
    return [(name, name) for name in columns if name not in {_FILENAME, _REFERENCE}]


def _put(tree: _Tree, path: Sequence[str], value: str) -> None:
    for step in path[:-1]:
        inner = tree.setdefault(step, {})
        assert isinstance(inner, dict), "colliding paths are refused"
        tree = inner
    tree[path[-1]] = value


def _bad_item(record: CsvRecord, fault: str) -> CsvItem:
    message = f"Row {record.number} {fault}."
    error: JsonObject = {"code": "csv_row_invalid", "message": message, "row": record.number}
    return CsvItem({}, None, None, error)


def _bad_file(fault: str) -> ServiceError:
    return validation_error("/csv_upload_id", f"the file {fault}")


def _check_text(head: bytes, *, is_whole: bool) -> None:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        text = decoder.decode(head, final=is_whole)
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise _bad_file("is not text in UTF-8; save it as CSV in UTF-8")


def _find_delimiter(head: bytes) -> tuple[str, int]:
    """Return the delimiter, and where the header begins or empty lines before it."""
    start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
    named = _NAMED_DELIMITER.match(head, start)
    if named is not None:
        if named[1] not in _DELIMITERS:
            name = named[1].decode(errors="replace")
            raise _bad_file(f"names {name!r} as its separator; use comma, semicolon or tab")
        return named[1].decode(), named.end()
    counts = dict.fromkeys(_DELIMITERS, 0)
    for token in _HEADER_TOKEN.finditer(head[start:].lstrip(_LINE_END)):
        if token[0] in _LINE_END:
            break
        if token[0] in counts:
            counts[token[0]] += 1
    return max(counts, key=counts.__getitem__).decode(), start


def _columns(header: bytes, delimiter: str) -> list[str]:
    """Return the names in a header, without blanks around them."""
    fields, fault = _parse(header, delimiter)
    if fields is None:
        raise _bad_file(f"has a header that {fault}")
    columns = [name.strip() for name in fields]
    _check_columns(columns)
    return columns


def _check_first_row(columns: Sequence[str], first: _Fields | None) -> None:
    if first is None:
        raise _bad_file("has no row below its header")
    if len(columns) == 1 and first.fields:
        fault = fault_of_one_column(columns[0], first.fields[0])
        if fault is not None:
            raise _bad_file(fault)


def _check_columns(columns: Sequence[str]) -> None:
    seen: set[str] = set()
    for n, name in enumerate(columns, 1):
        if not name:
            raise _bad_file(f"has no name for column {n}")
        if name in seen:
            raise _bad_file(f"has two columns named {_quote(name)}")
        seen.add(name)


def _check_column_paths(columns: Sequence[str]) -> None:
    names = dict(_data_paths(columns, None))
    for name in names:
        fault = _path_fault(name, names)
        if fault is not None:
            raise _bad_file(
                f"has the column {_quote(name)}, a path into the data: {fault}; rename it, or "
                "choose columns with csv_mapping"
            )


def _path_fault(path: str, paths: Container[str]) -> str | None:
    """Return why a dotted path has no place beside the others."""
    steps = path.split(".")
    if "" in steps:
        return "a name between dots is empty"
    if len(steps) > MAX_DEPTH:
        return f"it has more than {MAX_DEPTH} levels"
    for n in range(1, len(steps)):
        outer = ".".join(steps[:n])
        if outer in paths:
            return f"{_quote(outer)} is a value and cannot hold another one"
    return None


def _list_columns(columns: Sequence[str]) -> str:
    shown = ", ".join(_quote(name, _MAX_LISTED_CHARACTERS) for name in columns[:_MAX_LISTED])
    more = len(columns) - _MAX_LISTED
    return f"{shown} and {more} more" if more > 0 else shown


def _quote(name: str, most: int = MAX_NAME_CHARACTERS) -> str:
    return repr(name if len(name) <= most else f"{name[:most]}…")


def _filled_records(lines: Iterable[Line], delimiter: str) -> Iterator[_Fields]:
    """Yield the records, except those without any value: they are as empty as empty lines."""
    for content, end in lines:
        fields, fault = _parse(content, delimiter)
        if fields is None or any(map(str.strip, fields)):
            yield _Fields(fields, fault, end)


def _parse(content: bytes | None, delimiter: str) -> tuple[list[str] | None, str | None]:
    """Return the fields of a record, or its fault."""
    if content is None:
        return None, f"has more than {MAX_RECORD_BYTES} bytes; a quote may not be closed"
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None, "is not UTF-8"
    # The library's own limit is that of the process, and lower than ours.
    csv.field_size_limit(MAX_RECORD_BYTES)
    try:
        return next(csv.reader((text,), delimiter=delimiter, strict=True)), None
    except csv.Error:
        return None, "has a quote that is not closed, or text behind a closing quote"
