"""The `due` index: every promise for later stands there, spread over a few partitions."""

from typing import Final

_SHARDS: Final = 8


def due_shard(subject: str) -> str:
    """Return the partition of the due index that a subject's promises stand in."""
    return f"DUE#{ord(subject[-1]) % _SHARDS}"
