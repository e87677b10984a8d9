"""Data errors of maximum number and length fit the row of their render."""

from typing import Any, NoReturn

import pytest

from chalicelib.core.errors import FieldError, RenderFailure
from chalicelib.engine.schemas import evaluator
from tests.builders.service import Service

# Four bytes each in UTF-8.
WIDE = "\U0001f9fe"


def findings() -> list[FieldError]:
    """Return the maximum number of findings, each with a pointer of maximum length."""
    place = evaluator.truncated_pointer("/data", [WIDE * 990])
    assert len(place) > 990
    return [FieldError(f"{place}/{n}", "wrong_type", "must be a string") for n in range(100)]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_one_hundred_findings_with_long_pointers_fit_the_row(service: Service, mode: str) -> None:
    def invalid_data(_job: Any) -> NoReturn:
        detail = "The data: they do not fit (and 99 more)."
        raise RenderFailure("data_schema_mismatch", detail, errors=findings())

    service.engine.before_run = invalid_data
    answer = service.render(mode=mode)
    service.run_queued()

    assert (answer.status, len(service.engine.jobs)) == (422 if mode == "sync" else 202, 1)
    (render,) = service.call("GET", "/v1/renders").json["data"]
    assert (render["status"], render["error"]["code"]) == ("failed", "data_schema_mismatch")
    assert render["error"]["message"].endswith("(and 99 more).")
    assert len(render["error"]["errors"]) == 1
