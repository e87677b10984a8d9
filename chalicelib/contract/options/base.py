"""Base class of typed options, and the bounds of their members."""

from typing import ClassVar, Self

import msgspec

from chalicelib.core.json import Json, JsonObject


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds of a number, a text or a list, in `Annotated`; only its request model checks them.

    Not `msgspec.Meta`: texts grow when their templates are run, and are read again as JSON.
    """

    ge: float | None = None
    le: float | None = None
    min_length: int | None = None
    max_length: int | None = None


class Options(msgspec.Struct, frozen=True):
    """Options of an output: names, types, bounds and defaults of their members (decision 33).

    The text below a member is its description in the reference.
    """

    # Set by the model that is derived from the struct.
    request_model: ClassVar[type]

    @classmethod
    def from_json(cls, source: JsonObject) -> Self:
        """Read valid JSON; absent members get their defaults.

        Raises msgspec.ValidationError for JSON that the contract does not allow.
        """
        return msgspec.convert(source, cls)

    def to_json(self) -> dict[str, Json]:
        """Return the JSON with all members."""
        return dict(msgspec.to_builtins(self, str_keys=True))
