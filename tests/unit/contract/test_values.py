"""Dates and times are texts: numbers are not read as seconds."""

import json
from typing import Any

import pytest

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import Day, Timestamp
from chalicelib.contract.validation import read_body
from chalicelib.core.errors import ServiceError


class Dated(Model):
    day: Day | None = None
    moment: Timestamp | None = None


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"day": 0}, "/day"),
        ({"day": 1e-7}, "/day"),
        ({"moment": 0}, "/moment"),
        ({"moment": 1_700_000_000.5}, "/moment"),
        ({"moment": True}, "/moment"),
    ],
)
def test_numbers_are_refused_as_dates(value: dict[str, Any], path: str) -> None:
    with pytest.raises(ServiceError) as refused:
        read_body(Dated, json.dumps(value).encode(), value)

    assert [error.path for error in refused.value.errors] == [path]


def test_texts_are_accepted_as_dates() -> None:
    value = {"day": "2026-01-31", "moment": "2026-01-31T10:00:00+01:00"}

    dated = read_body(Dated, json.dumps(value).encode(), value)

    assert dated.model_dump(mode="json", exclude_unset=True) == value
