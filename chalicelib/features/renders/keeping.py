"""What is kept of a render: its files for a while, or nothing that tells of the document."""

import datetime as dt
from collections.abc import Mapping
from copy import replace
from typing import Any, Final

from chalicelib.core.problems import PROBLEMS
from chalicelib.engine.job import Outcome
from chalicelib.features.files.retention import retention
from chalicelib.features.renders.model import Render
from chalicelib.features.renders.protocol import MAX_RETURNED_BYTES

# What is too large for an answer is fetched from the bucket: the address holds for a minute, and a
# repeat of the request makes a new one.
_UNTIL_FETCHED: Final = dt.timedelta(hours=1)
_UNTOLD: Final = "With retention none its details are not kept."


def kept_for(render: Render, outcome: Outcome) -> dt.timedelta | None:
    """Return how long the files of a success are kept; None: they never reach the bucket."""
    if render.zero_retention:
        return None
    if render.hosted:
        return retention(test=render.test, days=render.retention_days)
    fits = all(len(file.content) <= MAX_RETURNED_BYTES for file in outcome.files)
    return None if fits or not render.answers_file else _UNTIL_FETCHED


def as_kept(render: Render) -> Render:
    """Return a final render as its row says it: with zero retention no word of the document.

    Templates, data and pages can speak through names of files, messages and the console.
    """
    if not render.zero_retention:
        return render
    return replace(
        render,
        files=(),
        warnings=tuple(
            {"code": warning["code"], "message": _UNTOLD, "detail": None}
            for warning in render.warnings
        ),
        error=None if render.error is None else _bare(render.error),
        logs=(),
        explain=None,
        result=None,
        invoice=None,
    )


def _bare(error: Mapping[str, Any]) -> dict[str, Any]:
    code = error["code"]
    return {"code": code, "message": f"{PROBLEMS[code].title}. {_UNTOLD}"}
