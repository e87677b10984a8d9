"""Partitions of the `due` index, which holds all due items of the main table."""

from typing import Final

# A DynamoDB partition takes 1,000 writes a second. The last character of an id is random, so items
# spread evenly.
SHARDS: Final = 8


def due_shard(subject: str) -> str:
    """Return the partition of the due index that holds a subject's due items."""
    return shard_name(ord(subject[-1]) % SHARDS)


def shard_name(number: int) -> str:
    """Return the name of a partition; `number` is 0 to SHARDS - 1."""
    return f"DUE#{number}"
