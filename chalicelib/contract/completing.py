"""An output that is known in part, made whole: what it does not say has the contract's default."""

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from chalicelib.contract.output import OutputSpec
from chalicelib.contract.reading import refusal
from chalicelib.core import json


def complete_output(said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the whole OutputSpec as JSON; raises `validation_error` with pointers to `/output`."""
    try:
        output = OutputSpec.model_validate_json(json.dumps(said))
    except ValidationError as error:
        raise refusal(error, said, "/output") from None
    return output.model_dump(mode="json")
