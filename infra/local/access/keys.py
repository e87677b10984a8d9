"""Access key of a stack, which every request to its emulators is signed with."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Self

from infra.local.durable_file import write_durably

_ID: Final = "AWS_ACCESS_KEY_ID"
_SECRET: Final = "AWS_SECRET_ACCESS_KEY"  # noqa: S105 -- a name


@dataclass(frozen=True, slots=True)
class AccessKey:
    """Id and secret, by the names that boto3 reads them from."""

    id: str
    secret: str = field(repr=False)

    @classmethod
    def random(cls) -> Self:
        """Return a random key."""
        return cls(f"LOCAL{secrets.token_hex(8).upper()}", secrets.token_urlsafe(30))

    @classmethod
    def from_variables(cls, variables: Mapping[str, str]) -> Self:
        """Return the key in environment variables; raises KeyError without one."""
        return cls(variables[_ID], variables[_SECRET])

    @classmethod
    def kept_in(cls, path: Path) -> Self:
        """Return the key in a file, which is made with a random one."""
        if not path.exists():
            write_durably(path, json.dumps(cls.random().variables()).encode())
        return cls.from_variables(json.loads(path.read_text(encoding="utf-8")))

    def variables(self) -> dict[str, str]:
        """Return the environment variables of the key."""
        return {_ID: self.id, _SECRET: self.secret}
