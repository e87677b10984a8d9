"""One row of the error catalogue."""

from typing import Final, NamedTuple

UNPROCESSABLE: Final = 422


class Problem(NamedTuple):
    """One code of the contract; without a status it is only met inside an object.

    `owner` is the feature that answers with it, `api` what all of them stand behind.
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
        """Return the status of an answer that ends with this code (a failed render's is 422)."""
        return self.status or UNPROCESSABLE
