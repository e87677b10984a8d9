"""Faults of a request: those that another one hides are found without unbounded work."""

from typing import Any

import pytest
from pydantic import ValidationError

from chalicelib.contract.faults import to_service_error
from chalicelib.contract.render.request import RenderRequest
from chalicelib.core import json
from chalicelib.core.errors import MAX_ERRORS

# `input.version` says the same as `version`, which hides the faults of all other members.
HIDING: dict[str, Any] = {"input": {"type": "html", "html": "x", "version": 2}, "version": 1}


@pytest.mark.parametrize(
    ("members", "validations"),
    [
        ({"a": 1}, 2),
        ({f"a{n}": n for n in range(MAX_ERRORS + 1)}, 1),
        # All of their messages have a name that was taken out.
        ({"metadata": {f"a{n}": {} for n in range(MAX_ERRORS + 1)}, "version": "number"}, 1),
    ],
)
def test_hidden_faults_are_taken_out_only_while_they_are_few(
    members: dict[str, Any], validations: int
) -> None:
    body = {**HIDING, **members}
    validated: list[object] = []

    def validate(value: object) -> object:
        validated.append(value)
        return RenderRequest.model_validate_json(json.dumps(value))

    with pytest.raises(ValidationError) as refusal:
        RenderRequest.model_validate(body)
    error = to_service_error(RenderRequest, refusal.value, body, validate=validate)

    assert len(validated) == validations
    assert error.errors[0].path == "/version"
    assert 1 < len(error.errors) <= MAX_ERRORS
