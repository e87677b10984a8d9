"""Section of a conformance report, cut to the size that a render has for it."""

from typing import Final, NotRequired, TypedDict

from chalicelib.core import json

MAX_SECTION_BYTES: Final = 50_000
# Cut texts begin at this length, which is halved until the section fits.
_MAX_TEXT_BYTES: Final = 1_000
_ELLIPSIS: Final = "…"


class ReportFinding(TypedDict):
    """Finding of a conformance report; `path` is the JSON path of the caller's field."""

    rule: str
    message: str
    location: str
    path: str | None
    count: int


class ProfileFields(TypedDict):
    """Profile and syntax of an e-invoice, the level of PDF/A, or the standard of PDF/UA."""

    profile: NotRequired[str | None]
    syntax: NotRequired[str | None]
    level: NotRequired[str]
    standard: NotRequired[str]


class ScenarioField(TypedDict):
    """Scenario of the validation of an e-invoice."""

    scenario: NotRequired[str | None]


class ReportSection(ProfileFields, ScenarioField):
    """Result on one subject; only that of an e-invoice has a syntax and a scenario."""

    status: str
    validator: str | None
    errors: list[ReportFinding]
    warnings: list[ReportFinding]


def fit_section(section: ReportSection) -> ReportSection:
    """Return a section of at most MAX_SECTION_BYTES of JSON, with its longest texts cut."""
    max_text_bytes = _MAX_TEXT_BYTES
    while True:
        fitted: ReportSection = {
            **section,
            "errors": [_truncate_finding(finding, max_text_bytes) for finding in section["errors"]],
            "warnings": [
                _truncate_finding(finding, max_text_bytes) for finding in section["warnings"]
            ],
        }
        if _json_bytes(fitted) <= MAX_SECTION_BYTES:
            return fitted
        max_text_bytes //= 2


def _truncate_finding(finding: ReportFinding, max_bytes: int) -> ReportFinding:
    path = finding["path"]
    return {
        "rule": _truncate(finding["rule"], max_bytes),
        "message": _truncate(finding["message"], max_bytes),
        "location": _truncate(finding["location"], max_bytes),
        "path": None if path is None else _truncate(path, max_bytes),
        "count": finding["count"],
    }


def _truncate(text: str, max_bytes: int) -> str:
    prefix = text[:max_bytes]
    while prefix and _json_bytes(prefix) > max_bytes:
        prefix = prefix[: len(prefix) * 3 // 4]
    return prefix if prefix == text else prefix + _ELLIPSIS


def _json_bytes(value: object) -> int:
    return len(json.dumps(value).encode())
