"""What is kept of a render: its files for a while, or nothing that tells of the document."""

import datetime as dt
from collections.abc import Callable, Mapping
from copy import replace
from typing import Any, Final

from chalicelib.core.problems import PROBLEMS
from chalicelib.engine.job import RenderOutcome
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import outcome_json, request_json
from chalicelib.features.renders.run.protocol import MAX_RETURNED_BYTES

# What is too large for an answer is fetched from the bucket: the address holds for a minute, and a
# repeat of the request makes a new one.
_FETCH_WINDOW: Final = dt.timedelta(hours=1)
_REDACTED: Final = "With retention none its details are not kept."


def file_retention(render: Render, outcome: RenderOutcome) -> dt.timedelta | None:
    """Return how long the files of a success are kept; None: they never reach the bucket."""
    if render.zero_retention:
        return None
    if render.hosted:
        return retention(test=render.test, days=render.retention_days)
    fits = all(len(file.content) <= MAX_RETURNED_BYTES for file in outcome.files)
    return None if fits or not render.returns_file else _FETCH_WINDOW


def redacted(render: Render) -> Render:
    """Return a final render as its row says it: with zero retention no word of the document.

    Templates, data and pages can speak through names of files, messages and the console.
    """
    if not render.zero_retention:
        return render
    return replace(
        render,
        files=(),
        warnings=tuple(
            {"code": warning["code"], "message": _REDACTED, "detail": None}
            for warning in render.warnings
        ),
        error=None if render.error is None else _redacted_error(render.error),
        logs=(),
        explain=None,
        result=None,
        invoice=None,
    )


def _redacted_error(error: Mapping[str, Any]) -> dict[str, Any]:
    code = error["code"]
    return {"code": code, "message": f"{PROBLEMS[code].title}. {_REDACTED}"}


_DEFAULT_LIVE_DAYS: Final = 30
_TEST_RETENTION: Final = dt.timedelta(hours=24)


def retention(*, test: bool, days: int | None = None) -> dt.timedelta:
    """Return how long a render's files are kept; `days` is for live renders only."""
    return _TEST_RETENTION if test else dt.timedelta(days=days or _DEFAULT_LIVE_DAYS)


# The rest is for what stands in attributes of their own.
MAX_JSON_BYTES: Final = 380_000
_VAT_BREAKDOWN: Final = "vat_breakdown"
_MAX_WARNINGS: Final = 10
_LOGS_OMITTED: Final = ("There was no room to keep what the page wrote to its console.",)


def shortened_to_fit(render: Render) -> Render:
    """Return a render that a row holds; where it does not, what tells least goes first."""
    for shorter in _REDUCTIONS:
        if (
            len(request_json(render).encode()) + len(outcome_json(render).encode())
            <= MAX_JSON_BYTES
        ):
            break
        render = shorter(render)
    return render


def _with_short_reports(render: Render) -> Render:
    """Keep of each report its verdict and the first thing that is wrong."""
    report: Mapping[str, Any] = (render.result or {}).get("conformance", {})
    kept = {
        subject: {**part, "errors": part["errors"][:1], "warnings": []}
        for subject, part in report.items()
    }
    return replace(render, result={"conformance": kept}) if kept else render


def _with_short_error(render: Render) -> Render:
    """Keep of a list of errors the first one; the message tells how many there are."""
    error = render.error or {}
    if "errors" not in error:
        return render
    return replace(render, error={**error, "errors": error["errors"][:1]})


def _without_breakdown(render: Render) -> Render:
    """Keep of an invoice's totals those of the whole; the rest stands in its XML."""
    kept = {name: value for name, value in (render.invoice or {}).items() if name != _VAT_BREAKDOWN}
    return replace(render, invoice=kept or None)


_REDUCTIONS: Final[tuple[Callable[[Render], Render], ...]] = (
    lambda render: replace(render, logs=_LOGS_OMITTED),
    lambda render: replace(render, explain=None),
    _with_short_reports,
    _without_breakdown,
    lambda render: replace(render, warnings=render.warnings[:_MAX_WARNINGS]),
    _with_short_error,
)
