"""Values that try to be more than values."""

from typing import Final

# What some reader takes for the end of a line, or for a line; what a terminal obeys; half a pair.
HOSTILE: Final = (
    'a\n{"level":"ERROR","message":"made up"}',
    "a\r\nb\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029c",
    'quote" backslash\\ \x1b[2J \x00 \ud800',
    '{"request_id": "another"}',
)
