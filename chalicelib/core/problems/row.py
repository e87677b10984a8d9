"""One row of the error catalogue."""

from dataclasses import dataclass, field
from typing import Final

UNPROCESSABLE: Final = 422


@dataclass(frozen=True, slots=True)
class Problem:
    """One code of the contract; without a status it is only met inside an object.

    `owner` is the feature that answers with it, `api` what all of them stand behind.
    """

    code: str
    status: int | None
    title: str
    meaning: str
    fix: str
    retryable: bool = False
    owner: str = field(kw_only=True)

    @property
    def http_status(self) -> int:
        """Return the status of an answer that ends with this code (a failed render's is 422)."""
        return self.status or UNPROCESSABLE
