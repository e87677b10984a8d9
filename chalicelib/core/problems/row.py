"""One row of the error catalogue."""

from dataclasses import dataclass
from typing import Final

UNPROCESSABLE: Final = 422


@dataclass(frozen=True, slots=True)
class Problem:
    """One code of the contract; without a status it is only met inside an object."""

    code: str
    status: int | None
    title: str
    meaning: str
    fix: str
    retryable: bool = False

    @property
    def http_status(self) -> int:
        """Return the status of an answer that ends with this code (a failed render's is 422)."""
        return self.status or UNPROCESSABLE
