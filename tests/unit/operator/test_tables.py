"""Tables for people: they fit the terminal or 100 columns, and show ids whole."""

from collections.abc import Mapping
from typing import Final

import pytest
from rich.cells import cell_len

from infra.operator.tables import answer_lines

ID: Final = "01M8N8E1YGD89ZNMC9WGQ3Z7YB"
LONG: Final = "A workspace whose name is " + "very " * 15 + "long"
ROWS: Final = [
    {"at": "12:00", "event": "request", "detail": {"status": 200, "ms": 12}},
    {"at": "12:01", "event": "claimed by somebody", "detail": {}},
    {"at": "12:02", "event": "ended", "detail": {"why": "because it took much too long"}},
]
DELIVERY: Final = {
    "id": f"whd_{ID}",
    "event_type": "render.succeeded",
    "status": "delivered",
    "attempts": 1,
    "endpoint_id": f"whe_{ID}",
    "event_id": f"evt_{ID}",
    "created_at": "2026-11-30T03:37:02.160Z",
    "next_attempt_at": None,
}


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "41")


def lines(answer: Mapping[str, object]) -> list[str]:
    return [line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in answer_lines(answer)]


def test_short_rows_are_aligned_in_columns() -> None:
    assert lines({"data": ROWS}) == [
        "at     event                detail",
        "12:00  request              status=200 ms=12",
        "12:01  claimed by somebody  -",
        "12:02  ended                why=because it took much too long",
    ]


@pytest.mark.usefixtures("terminal")
def test_texts_are_wrapped_in_their_column() -> None:
    assert lines({"data": ROWS}) == [
        "at     event             detail",
        "12:00  request           status=200 ms=12",
        "12:01  claimed by        -",
        "       somebody",
        "12:02  ended             why=because it",
        "                         took much too",
        "                         long",
    ]


def test_columns_without_room_stand_below_their_row_with_their_names() -> None:
    assert lines({"data": [DELIVERY]}) == [
        "id                              event_type        status     attempts",
        f"whd_{ID}  render.succeeded  delivered  1",
        f"    endpoint_id=whe_{ID}  event_id=evt_{ID}",
        "    created_at=2026-11-30T03:37:02.160Z",
    ]


@pytest.mark.parametrize("name", [LONG, "x" * 120, "\u65e5\u672c" * 60])
def test_a_table_with_long_names_fits_100_columns_and_cuts_nothing(name: str) -> None:
    row = {"id": f"ws_{ID}", "name": name, "plan": "pro", "status": "active"}
    printed = lines({"data": [row, row | {"name": "Acme"}]})

    assert max(map(cell_len, printed)) <= 100
    assert printed[0].split() == ["id", "name", "plan", "status"]
    assert sum(f"ws_{ID}" in line for line in printed) == 2
    column = slice(printed[0].index("name"), None)
    shown = "".join(line[column].replace("pro", "").replace("active", "") for line in printed[1:-1])
    assert "".join(shown.split()) == "".join(name.split())


@pytest.mark.usefixtures("terminal")
def test_an_id_is_whole_where_even_it_has_no_room() -> None:
    printed = lines({"data": [DELIVERY], "endpoint_id": f"whe_{ID}{ID}"})

    for value in (f"whd_{ID}", f"whe_{ID}{ID}", f"evt_{ID}"):
        assert [line for line in printed if value in line] != []


def test_long_fields_are_wrapped_beside_their_name() -> None:
    printed = lines({"id": "rnd_1", "scopes": ["render:write"] * 12})

    assert printed[0] == "id      rnd_1"
    assert len(printed) == 3
    assert all(line.startswith("        render:write, ") for line in printed[2:])
    assert max(map(len, printed)) <= 100


def test_a_list_beside_fields_has_a_heading() -> None:
    assert lines({"id": "rnd_1", "data": []}) == ["id  rnd_1", "", "data:", "none"]


def test_wide_characters_count_as_two_columns() -> None:
    printed = lines(
        {"data": [{"name": "\u65e5\u672c", "plan": "pro"}, {"name": "Acme", "plan": "free"}]}
    )

    assert printed == ["name  plan", "\u65e5\u672c  pro", "Acme  free"]
