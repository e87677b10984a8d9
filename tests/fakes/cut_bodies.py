"""Bodies of S3 objects that break off, as those of lost connections do."""

import io
from typing import TYPE_CHECKING, Any, Final

from botocore.response import StreamingBody
from urllib3.exceptions import IncompleteRead, ProtocolError, ReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable


class CutBody:
    """Raw body that breaks off after some bytes: silently, or with this error."""

    def __init__(self, content: bytes, cut: int, error: Exception | None) -> None:
        self._content = io.BytesIO(content[:cut])
        self._error = error

    def read(self, size: int) -> bytes:
        chunk = self._content.read(size)
        if len(chunk) < size and self._error is not None:
            raise self._error
        return chunk

    def close(self) -> None:
        """Hold nothing."""


CUTS: Final[dict[str, Exception | None]] = {
    "ended": None,
    "reset": ProtocolError("Connection broken", IncompleteRead(1, 2)),
    "silent": ReadTimeoutError(None, "/", "late"),  # type: ignore[arg-type]
}


class CutBodies:
    """The get_object of a client of S3, whose first bodies break off after some bytes."""

    def __init__(self, client: Any, *cuts: int, error: Exception | None = None) -> None:
        self._get: Callable[..., Any] = client.get_object
        self._cuts = iter(cuts)
        self._error = error
        self.ranges: list[str | None] = []

    def __call__(self, **request: Any) -> Any:
        self.ranges.append(request.get("Range"))
        response = self._get(**request)
        cut = next(self._cuts, None)
        if cut is not None:
            content = response["Body"].read()
            raw: Any = CutBody(content, cut, self._error)
            response["Body"] = StreamingBody(raw, len(content))
        return response
