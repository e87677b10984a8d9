"""Failure of a combined file, and the bounds of combined files."""

from typing import Final, Literal

MAX_ARCHIVE_BYTES: Final = 50_000_000_000
MAX_MERGED_BYTES: Final = 2_000_000_000
MAX_MERGED_PAGES: Final = 100_000


class CombineFailure(Exception):  # noqa: N818 -- reads as the answer it gives
    """The items cannot be combined. The state that it was raised with is not to be used again."""

    def __init__(self, code: Literal["render_failed", "output_too_large"], detail: str) -> None:
        """Build the failure; `code` is that of the batch's error."""
        super().__init__(detail)
        self.code = code
        self.detail = detail


def check_size(size: int, limit: int) -> None:
    """Raise CombineFailure `output_too_large` for a file of more than `limit` bytes."""
    if size > limit:
        message = f"The combined file would have more than {limit // 1_000_000_000} GB."
        raise CombineFailure("output_too_large", message)
