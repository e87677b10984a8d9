"""The ground of every contract model: JSON types, nothing unknown, built on first use."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

LENGTH_PATTERN = r"^(?:0|\d{1,6}(?:\.\d{1,4})?(?:mm|cm|in|px|pt|pc))$"

Length = Annotated[
    str,
    StringConstraints(max_length=16, pattern=LENGTH_PATTERN),
    Field(description="0, or a number with one of the units mm, cm, in, px, pt, pc."),
]


class Model(BaseModel):
    """A JSON object without unknown properties; `"1"` is never taken for `1`."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        defer_build=True,
        use_attribute_docstrings=True,
    )
