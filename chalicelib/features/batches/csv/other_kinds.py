"""Files of other kinds that people upload as CSV, recognized by their first bytes."""

import codecs
import re
from typing import Final

_SAVE: Final = "save it as CSV in UTF-8"
_SIGNATURES: Final = (
    (b"PK\x03\x04", f"is a workbook (XLSX, ODS) or another ZIP file; {_SAVE}"),
    (b"\xd0\xcf\x11\xe0", f"is an old workbook (XLS); {_SAVE}"),
    (b"%PDF-", f"is a PDF; {_SAVE}"),
    (codecs.BOM_UTF16_LE, f"is text in UTF-16 (Unicode text); {_SAVE}"),
    (codecs.BOM_UTF16_BE, f"is text in UTF-16 (Unicode text); {_SAVE}"),
)
_BLANK: Final = b" \t\r\n"
# Not every element: there are columns named `<DATE>`.
_MARKUP: Final = re.compile(rb"<(?:!doctype|!--|\?xml|html|head|body|table)\b|<!--", re.IGNORECASE)
_ELEMENT: Final = re.compile(r"</?[A-Za-z][^<>]*>.*", re.DOTALL)
# There are columns named `[Name]`, too.
_JSON: Final = re.compile(rb'[\[{][ \t\r\n]*+(?:["\[{}\]]|-?[0-9]|\Z)|[\[{][ \t]*+[\r\n]')
# What separates columns elsewhere; within quotes also what does here.
_SEPARATORS: Final = "|¦^~\x1f;\t,"


def other_kind(head: bytes) -> str | None:
    """Return why a file is no CSV, as words after `the file`, or None if it may be one."""
    for signature, fault in _SIGNATURES:
        if head.startswith(signature):
            return fault
    start = head.removeprefix(codecs.BOM_UTF8).lstrip(_BLANK)
    if _MARKUP.match(start):
        return "is HTML or XML, perhaps the page of an error or of a log-in; upload the CSV itself"
    if _JSON.match(start):
        return "is JSON; send its objects as items, or convert it to CSV"
    return None


def fault_of_one_column(name: str, first_value: str) -> str | None:
    """Return why a file of one column is no CSV; `first_value` stands below its name."""
    if _ELEMENT.fullmatch(name):
        return "is HTML or XML, as its first line is an element; upload the CSV itself"
    for separator in _SEPARATORS:
        if separator in name and separator in first_value and f"{separator} " not in name:
            return (
                f"has one column, as {separator!r} is within it; separate columns by comma, "
                "semicolon or tab, and do not quote whole lines"
            )
    return None
