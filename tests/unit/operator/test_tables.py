"""Tables for people: one line per row, and wide columns below it on a terminal."""

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


def test_row_is_one_line_without_a_terminal() -> None:
    printed = lines({"data": ROWS})

    assert [line.split()[0] for line in printed] == ["at", "12:00", "12:01", "12:02"]
    assert printed[3].endswith("y" * 70)
    assert {
        line.index(word)
        for line, word in zip(printed[1:], ("request", "claimed", "ended"), strict=True)
    } == {7}
    assert not [line for line in printed if line.endswith(" ")]


@pytest.mark.usefixtures("terminal")
def test_columns_too_wide_for_the_terminal_are_printed_below_their_row() -> None:
    assert lines({"data": ROWS}) == [
        "at     event  detail",
        "12:00  request  status=200 ms=12",
        "12:01",
        "    event  claimed by " + "x" * 60,
        "12:02  ended",
        "    detail  why=" + "y" * 70,
    ]


@pytest.mark.usefixtures("terminal")
def test_fields_that_fit_are_aligned_in_columns() -> None:
    printed = lines(
        {"id": "rnd_1", "timings": "t" * 100, "events": [ROWS[0], ROWS[2] | {"detail": {}}]}
    )

    assert printed == [
        "id       rnd_1",
        "timings  " + "t" * 100,
        "",
        "events:",
        "at     event    detail",
        "12:00  request  status=200 ms=12",
        "12:02  ended    -",
    ]


def test_wide_characters_count_as_two_columns() -> None:
    printed = lines(
        {"data": [{"name": "\u65e5\u672c", "plan": "pro"}, {"name": "Acme", "plan": "free"}]}
    )

    assert printed == ["name  plan", "\u65e5\u672c  pro", "Acme  free"]
