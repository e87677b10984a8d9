"""Row of the error catalogue."""

from typing import Final, NamedTuple

UNPROCESSABLE: Final = 422


class Problem(NamedTuple):
    """One error code of the contract.

    A code without a status is never the answer of a request by itself: it occurs inside an object.
    `meaning` and `fix` are published. `owner` is the feature that uses the code; `api` is the edge
    in front of all features.
    """

    code: str
    status: int | None
    title: str
    meaning: str
    fix: str
    owner: str
    retryable: bool = False

    @property
    def http_status(self) -> int:
        """Return the HTTP status of the code; 422 if it has none, as for a failed render."""
        return self.status or UNPROCESSABLE
