"""Fair order of the messages of a queue.

MiniStack gives messages in the order in which they came. SQS gives those of groups first that have
few in work (fair queues), so the backlog of one workspace delays no other. On one machine, where
all work for the same processors, a group also has a bound.
"""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Any, Final

from infra.local.steady_time import steady_time

# Messages of a group in work. Receivers that do not answer hold few of them (decision 38).
MAX_OF_GROUP: Final = 20

type Collect = Callable[[dict[str, Any], int, int], list[Any]]


def fair(collect: Collect) -> Collect:
    """Return a `_collect_msgs` of MiniStack that gives messages whose turn it is."""

    def collect_in_turns(queue: dict[str, Any], most: int, visibility_s: int) -> list[Any]:
        """Receive up to `most` messages of a queue."""
        if not queue["is_fifo"]:
            due, others = in_turns(queue["messages"], steady_time())
            queue["messages"] = due + others
            most = min(most, len(due))
        return collect(queue, most, visibility_s)

    return collect_in_turns


def in_turns(
    messages: Iterable[dict[str, Any]], now: float
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the messages of a queue whose turn it is, and the others.

    Messages of groups that have few before them go first, in the order in which they came.
    """
    in_work: Counter[str | None] = Counter()
    waiting = []
    others = []
    for message in messages:
        if message["visible_at"] > now:
            others.append(message)
            in_work[message.get("group_id")] += message.get("receive_count", 0) > 0
        else:
            waiting.append(message)
    turns = []
    for message in waiting:
        group = message.get("group_id")
        if group is None or in_work[group] < MAX_OF_GROUP:
            turns.append((in_work[group], message))
        else:
            others.append(message)
        in_work[group] += 1
    return [message for _, message in sorted(turns, key=lambda each: each[0])], others
