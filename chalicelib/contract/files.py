"""Signed addresses of files."""

from typing import Annotated

from pydantic import StringConstraints

from chalicelib.contract.base import Model


class FileQuery(Model):
    """What a signed address carries; anything else makes its signature invalid."""

    exp: Annotated[str, StringConstraints(max_length=100)] | None = None
    """Unix time at which the address ends."""
    sig: Annotated[str, StringConstraints(max_length=200)] | None = None
    """HMAC-SHA256, lower-case hex."""
