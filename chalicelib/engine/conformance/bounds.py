"""What a report may take of a render's row, where three of them stand beside all else."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.core import json

MAX_FINDINGS: Final = 100
MOST_BYTES: Final = 50_000
_MOST_TEXT_BYTES: Final = 1_000
_TEXTS: Final = ("rule", "message", "location", "path")
_ELLIPSIS: Final = "…"


def bounded(section: Mapping[str, Any]) -> dict[str, Any]:
    """Return one part of a report, its texts cut as far as all of them must be to have room."""
    longest = _MOST_TEXT_BYTES
    while True:
        shown = {
            **section,
            "errors": [_cut_all(finding, longest) for finding in section["errors"]],
            "warnings": [_cut_all(finding, longest) for finding in section["warnings"]],
        }
        if _size(shown) <= MOST_BYTES:
            return shown
        longest //= 2


def _cut_all(finding: Mapping[str, Any], longest: int) -> dict[str, Any]:
    cut = {name: _cut(finding[name], longest) for name in _TEXTS if finding[name]}
    return {**finding, **cut}


def _cut(text: str, longest: int) -> str:
    kept = text[:longest]
    while _size(kept) > longest:
        kept = kept[: len(kept) * 3 // 4]
    return kept if kept == text else kept + _ELLIPSIS


def _size(value: Any) -> int:
    return len(json.dumps(value).encode())
