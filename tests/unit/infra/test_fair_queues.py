"""Order of the messages of a queue on one machine: workspaces take turns, as with SQS."""

from typing import Any

from infra.local.fair_queues import MAX_OF_GROUP, fair, in_turns

NOW = 1_000.0


def message(name: str, *, visible_at: float = NOW, received: int = 0) -> dict[str, Any]:
    """Return a message whose group is the first letter of its name."""
    return {
        "id": name,
        "group_id": name[0],
        "visible_at": visible_at,
        "receive_count": received,
    }


def order(*messages: dict[str, Any]) -> str:
    due, others = in_turns(messages, NOW)
    assert len(due) + len(others) == len(messages)
    return " ".join(each["id"] for each in due)


def waiting(names: str) -> list[dict[str, Any]]:
    return [message(name) for name in names.split()]


def test_messages_of_one_group_keep_their_order() -> None:
    assert order(*waiting("a1 a2 a3")) == "a1 a2 a3"


def test_groups_take_turns() -> None:
    assert order(*waiting("a1 a2 a3 b1 b2 c1")) == "a1 b1 c1 a2 b2 a3"


def test_group_with_messages_in_work_goes_behind() -> None:
    in_work = [message(f"a{n}", visible_at=NOW + 30, received=1) for n in (8, 9)]

    assert order(*in_work, *waiting("a1 a2 b1 b2 b3")) == "b1 b2 a1 b3 a2"


def test_delayed_messages_are_not_in_work() -> None:
    delayed = message("a9", visible_at=NOW + 30)

    assert order(delayed, *waiting("a1 b1")) == "a1 b1"


def test_messages_without_a_group_are_one_group() -> None:
    none = [message(f"{n}") | {"group_id": None} for n in range(3)]

    assert order(*none, *waiting("b1")) == "0 b1 1 2"


def test_group_has_a_bound_of_messages_in_work() -> None:
    in_work = [
        message(f"a{n}", visible_at=NOW + 30, received=1) for n in range(100, 99 + MAX_OF_GROUP)
    ]

    assert order(*in_work, *waiting("a1 a2 a3 b1")) == "b1 a1"


def test_queue_gives_what_is_due_and_keeps_the_rest() -> None:
    messages = [message(f"a{n}", visible_at=0) for n in range(MAX_OF_GROUP + 2)]
    queue: dict[str, Any] = {"is_fifo": False, "messages": messages}

    collected = fair(lambda queue, most, _visibility_s: queue["messages"][:most])(queue, 50, 30)

    assert collected == messages[:MAX_OF_GROUP]
    assert queue["messages"] == messages


def test_fifo_queue_stays_as_it_is() -> None:
    messages = waiting("a1 a2 b1")

    collected = fair(lambda queue, most, _visibility_s: queue["messages"][:most])(
        {"is_fifo": True, "messages": messages}, 10, 30
    )

    assert collected == messages
