"""The `due` index: every promise for later stands there, spread over a few partitions."""

from typing import Final

SHARDS: Final = 8


def due_shard(subject: str) -> str:
    """Return the partition of the due index that a subject's promises stand in."""
    return shard_name(ord(subject[-1]) % SHARDS)


def shard_name(number: int) -> str:
    """Return the name of the index's n-th partition."""
    return f"DUE#{number}"
