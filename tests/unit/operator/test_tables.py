"""Answers for people: a row is a line, and on a terminal what has no room in it stands below."""

from typing import Any

import pytest

from infra.operator import output

ROWS: list[dict[str, Any]] = [
    {"at": "12:00", "event": "request", "detail": {"status": 200, "ms": 12}},
    {"at": "12:01", "event": "claimed by " + "x" * 60, "detail": {}},
    {"at": "12:02", "event": "ended", "detail": {"why": "y" * 70}},
]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")


def lines(answer: dict[str, Any]) -> list[str]:
    return [
        line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in output.answer_lines(answer)
    ]


def test_a_row_is_a_line_where_there_is_no_terminal() -> None:
    told = lines({"data": ROWS})

    assert [line.split()[0] for line in told] == ["at", "12:00", "12:01", "12:02"]
    assert told[3].endswith("y" * 70)
    assert {
        line.index(word)
        for line, word in zip(told[1:], ("request", "claimed", "ended"), strict=True)
    } == {7}
    assert not [line for line in told if line.endswith(" ")]


@pytest.mark.usefixtures("terminal")
def test_what_has_no_room_on_a_terminal_stands_below_its_row() -> None:
    assert lines({"data": ROWS}) == [
        "at     event  detail",
        "12:00  request  status=200 ms=12",
        "12:01",
        "    event  claimed by " + "x" * 60,
        "12:02  ended",
        "    detail  why=" + "y" * 70,
    ]


@pytest.mark.usefixtures("terminal")
def test_what_has_room_stands_in_columns_and_no_field_widens_another() -> None:
    told = lines(
        {"id": "rnd_1", "timings": "t" * 100, "events": [ROWS[0], ROWS[2] | {"detail": {}}]}
    )

    assert told == [
        "id       rnd_1",
        "timings  " + "t" * 100,
        "",
        "events:",
        "at     event    detail",
        "12:00  request  status=200 ms=12",
        "12:02  ended    -",
    ]


def test_wide_letters_count_as_two() -> None:
    told = lines(
        {"data": [{"name": "\u65e5\u672c", "plan": "pro"}, {"name": "Acme", "plan": "free"}]}
    )

    assert told == ["name  plan", "\u65e5\u672c  pro", "Acme  free"]
