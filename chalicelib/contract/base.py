"""The ground of every contract model: JSON types, nothing unknown, built on first use."""

from pydantic import BaseModel, ConfigDict


class Model(BaseModel):
    """A JSON object without unknown properties; `"1"` is never taken for `1`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,
        use_attribute_docstrings=True,
        serialize_by_alias=True,
    )
