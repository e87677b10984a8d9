"""Base class of typed options: frozen, and read from and written as the contract's JSON."""

from typing import Self

import msgspec

from chalicelib.core.json import Json, JsonObject


class Options(msgspec.Struct, frozen=True):
    """Options of an output; every field has the name, the type and the default of the contract."""

    @classmethod
    def from_json(cls, source: JsonObject) -> Self:
        """Read valid JSON; absent members get their defaults.

        Raises msgspec.ValidationError for JSON that the contract does not allow.
        """
        return msgspec.convert(source, cls)

    def to_json(self) -> dict[str, Json]:
        """Return the JSON with all members."""
        return dict(msgspec.to_builtins(self, str_keys=True))
