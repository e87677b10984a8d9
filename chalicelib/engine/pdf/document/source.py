"""PDF of a request, before it is opened."""

from typing import NamedTuple


class UnopenedPdf(NamedTuple):
    """PDF of a request; `pointer` is its JSON Pointer there, `name` that of its file, if known."""

    content: bytes
    password: str | None
    pointer: str
    name: str | None = None
