"""Base class of the contract models."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A JSON object: unknown properties are refused, and `"1"` is not accepted for `1`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        # Cold starts do not build validators of models that the request does not need (decision 7).
        defer_build=True,
        use_attribute_docstrings=True,
        serialize_by_alias=True,
    )
