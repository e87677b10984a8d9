"""Tables of the form fields of Gotenberg: the request's field of each, and those that have none."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from chalicelib.api.gotenberg._fields import (
    IMAGE_FIELDS,
    MERGE_FIELDS,
    PAGE_FIELDS,
    PDF_FIELDS,
    REFUSED,
    RequestField,
)
from chalicelib.api.gotenberg._values import (
    read_bool,
    read_duration_ms,
    read_int,
    read_length,
    read_number,
)
from infra.guides.markdown import code, table

_VALUES: Final[Mapping[Callable[[str], object], str]] = {
    str: "text",
    read_bool: "`true` or `false`",
    read_duration_ms: "duration, such as `500ms` or `5s`",
    read_int: "whole number",
    read_length: "length, such as `210mm`; a number alone is in inches",
    read_number: "number",
}
# Values of fields that are read in a way of their own, and what the value means.
_OWN_VALUES: Final[Mapping[str, str]] = {
    "skipNetworkIdleEvent": "`false` is `networkidle`, `true` is `load`",
    "skipNetworkAlmostIdleEvent": "`false` is `networkidle`, `true` is `load`",
    "emulatedMediaType": "`print` or `screen`",
    "extraHttpHeaders": "JSON object; a `;scope=` in a value is refused",
    "cookies": "JSON array; `sameSite` is ignored",
    "failOnHttpStatusCodes": "`[499,599]` only",
    "failOnResourceHttpStatusCodes": "`[499,599]` is `strict`, `[]` is `lenient`",
    "failOnResourceLoadingFailed": "`true` is `strict`",
    "failOnConsoleExceptions": "`true` adds `script_failed`",
    "singlePage": "`true` is `auto`",
    "pdfa": "`PDF/A-2b` or `PDF/A-3b`",
    "metadata": "JSON object of `Title`, `Author`, `Subject`, `Keywords` and `CreationDate`",
    "format": "`png`, `jpeg` or `webp`",
    "clip": "`false` draws the whole page, `true` the window",
}
# Fields that become nothing.
_WITHOUT_EFFECT: Final[Mapping[str, str]] = {
    "failOnHttpStatusCodes": "nothing: each status from 400 on fails the render",
    "omitBackground": "nothing: a printed page has no background of its own",
    "optimizeForSpeed": "nothing: the picture is the same",
    "autoIndexBookmarks": "nothing: the bookmarks of all sources are kept",
}
# Names of fields and routes in an advice.
_NAMES: Final = re.compile(r'POST /v1/[\w/-]+|\w+(?:\.\w+)+(?: === "…")?|[a-z]+[A-Z]\w+')
_TOOL: Final = "`{}` of `POST /v1/pdf-tools/merge`"
_TABLES: Final[Mapping[str, Mapping[str, RequestField]]] = {
    "pages": PAGE_FIELDS,
    "pdf": {name: row for name, row in PDF_FIELDS.items() if name not in PAGE_FIELDS},
    "pictures": {name: row for name, row in IMAGE_FIELDS.items() if name not in PAGE_FIELDS},
    "merge": MERGE_FIELDS,
}


def gotenberg_table(argument: str) -> str:
    """Return the fields of `pages`, `pdf`, `pictures` or `merge`, or those that are `refused`.

    Raises ValueError for another name, and KeyError for a field that has no text here.
    """
    if argument == "refused":
        return table(("Form field", "What to do"), _refused_rows())
    if argument not in _TABLES:
        message = f"{argument} is no table of fields: {', '.join(_TABLES)}, refused"
        raise ValueError(message)
    rows = (
        (code(name), _value(name, row), _target(name, row))
        for name, row in _TABLES[argument].items()
    )
    return table(("Form field", "Value", "What it becomes"), rows)


def _value(name: str, row: RequestField) -> str:
    return _OWN_VALUES[name] if name in _OWN_VALUES else _VALUES[row.read]


def _target(name: str, row: RequestField) -> str:
    path = row.pointer.removeprefix("/").replace("/", ".")
    if not path:
        return _WITHOUT_EFFECT[name]
    return code(path) if path.startswith("output.") else _TOOL.format(path)


def _refused_rows() -> Iterator[tuple[str, str]]:
    """Yield the advice, with the fields that it is for."""
    fields: dict[str, list[str]] = {}
    for name, advice in REFUSED.items():
        fields.setdefault(advice, []).append(code(name))
    for advice, names in fields.items():
        text = _NAMES.sub(lambda found: code(found[0]), advice)
        yield ", ".join(names), f"{text[0].upper()}{text[1:]}."
