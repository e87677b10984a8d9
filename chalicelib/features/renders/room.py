"""What comes of a render has room in its row, which DynamoDB allows 400 kB."""

from collections.abc import Callable, Mapping
from copy import replace
from typing import Any, Final

from chalicelib.features.renders.model import Render
from chalicelib.features.renders.rows import outcome_of, request_of

# The rest is for what stands in attributes of their own.
MOST_BYTES: Final = 380_000
_BREAKDOWN: Final = "vat_breakdown"
_FEW_WARNINGS: Final = 10
_NO_LOGS: Final = ("There was no room to keep what the page wrote to its console.",)


def with_room(render: Render) -> Render:
    """Return a render that a row holds; where it does not, what tells least goes first."""
    for shorter in _SHORTER:
        if len(request_of(render).encode()) + len(outcome_of(render).encode()) <= MOST_BYTES:
            break
        render = shorter(render)
    return render


def _with_first_errors(render: Render) -> Render:
    """Keep of each report its verdict and the first thing that is wrong."""
    report: Mapping[str, Any] = (render.result or {}).get("conformance", {})
    kept = {
        subject: {**part, "errors": part["errors"][:1], "warnings": []}
        for subject, part in report.items()
    }
    return replace(render, result={"conformance": kept}) if kept else render


def _with_first_error(render: Render) -> Render:
    """Keep of a list of errors the first one; the message tells how many there are."""
    error = render.error or {}
    if "errors" not in error:
        return render
    return replace(render, error={**error, "errors": error["errors"][:1]})


def _without_breakdown(render: Render) -> Render:
    """Keep of an invoice's totals those of the whole; the rest stands in its XML."""
    kept = {name: value for name, value in (render.invoice or {}).items() if name != _BREAKDOWN}
    return replace(render, invoice=kept or None)


_SHORTER: Final[tuple[Callable[[Render], Render], ...]] = (
    lambda render: replace(render, logs=_NO_LOGS),
    lambda render: replace(render, explain=None),
    _with_first_errors,
    _without_breakdown,
    lambda render: replace(render, warnings=render.warnings[:_FEW_WARNINGS]),
    _with_first_error,
)
