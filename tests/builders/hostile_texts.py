"""Texts and file names that try to break out of the place where they are written."""

from collections.abc import Mapping
from typing import Final

# Line separators of some readers, a forged log line, terminal sequences, a lone surrogate.
HOSTILE_TEXTS: Final = (
    'a\n{"level":"ERROR","message":"made up"}',
    "a\r\nb\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029c",
    'quote" backslash\\ \x1b[2J \x00 \ud800',
    '{"request_id": "another"}',
)

# File names that try to forge headers, log lines, folders, devices or other files.
HOSTILE_NAMES: Final[Mapping[str, str]] = {
    "header": "a\r\nSet-Cookie: made=up\r\n\r\n<script>",
    "line": 'a\n{"level":"ERROR","message":"made up"}',
    "json": 'a"},{"level":"ERROR","message":"made up"}',
    "parameter": 'a"; filename="evil.exe"; x="',
    "encoded": "%0d%0aSet-Cookie:%20made=up%22",
    "terminal": "\x1b[2J\x1b]0;made up\x07\x9b31m\x08\x7f",
    "separators": "a\u2028b\u2029c\x85d\x0be\x0cf",
    "nul": "a.exe\x00.pdf",
    "half a pair": "a\ud800b\udfff",
    "no characters": "a\uffff\ufdd0b",
    "direction": "a\u202efdp.exe\u2066\u200f\u061c",
    "invisible": "\ufeffa\u200b\u2060\u00ad\U000e0041b",
    "up": "../../../etc/passwd",
    "absolute": "/etc/passwd",
    "windows": "..\\..\\C:\\Windows\\x",
    "drive": "C:x",
    "share": "\\\\host\\share",
    "stream": "a.txt::$DATA",
    "here": ".",
    "dots": ". . .",
    "trailing": "a . .",
    "device": "con",
    "device with an extension": "AUX .tar.gz",
    "device with a superscript": "COM\u00b9",
    "decomposed": "e\u0301\u212b",
    "wild": 'a*?<>|"b',
    "markup": "<img src=x onerror=alert(1)>",
    "template": "{{ 7 * 7 }}${7*7}",
    "blanks": "\u00a0\u3000\t",
    "nothing": "",
    "long": "ä" * 255,
}
