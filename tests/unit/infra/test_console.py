"""Console: a short view for people; the log file has every line, within bounds."""

import io
import json
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pytest

from chalicelib.adapters.metrics import Metrics
from infra.local.console import Console
from infra.local.log_file import BACKUPS, LogFile, log_files
from tests.builders.hostile_texts import HOSTILE_NAMES, HOSTILE_TEXTS

INFO = '{"level":"INFO","message":"render ended","request_id":"r"}'
WARNING = '{"level":"WARNING","message":"browser lost","request_id":"r"}'


type Open = Callable[..., LogFile]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "functions.log"


@pytest.fixture
def opened(path: Path) -> Iterator[Open]:
    with ExitStack() as cleanup:
        yield lambda **size: cleanup.enter_context(closing(LogFile(path, **size)))


def printed(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for file in log_files(path) for line in file.read_text().splitlines()]


@pytest.mark.parametrize(("as_json", "lines"), [(False, 1), (True, 3)])
def test_traffic_is_quiet_for_people_and_complete_in_the_log_file(
    path: Path,
    opened: Open,
    as_json: bool,  # noqa: FBT001 -- a case
    lines: int,
) -> None:
    shown = io.StringIO()
    console = Console(as_json=as_json, shows_traffic=False, out=shown, log_file=opened())

    console.log_request("GET", "/v1/renders", 200, 1.5, "r")
    console.log_invocation("RenderFunction", 3, "ok", "r")
    console.log_failure("RenderFunction", b'{"errorType": "E", "errorMessage": "m"}')

    assert len(shown.getvalue().splitlines()) == lines
    assert [line["kind"] for line in printed(path)] == ["request", "invocation", "failure"]


def test_console_omits_lines_that_the_log_file_keeps(
    path: Path, opened: Open, capsys: pytest.CaptureFixture[str]
) -> None:
    shown = io.StringIO()
    console = Console(as_json=False, out=shown, log_file=opened())
    Metrics("platen", "relay").count("ColdStarts")
    metric = capsys.readouterr().out.rstrip("\n")

    for line in (INFO, WARNING, metric, "no JSON"):
        console.log_line("RenderFunction", line)
    console.note("keys: plt_live_secret")
    console.log_request("GET", "/v1/renders", 200, 1.5, "r")
    console.log_invocation("RenderFunction", 3, "ok", "r")

    assert [line.split()[1:3] for line in shown.getvalue().splitlines()] == [
        ["log", "RenderFunction"],
        ["log", "RenderFunction"],
        ["plt_live_secret"],
        ["GET", "/v1/renders"],
        ["invoke", "RenderFunction"],
    ]
    assert "WARNING browser lost" in shown.getvalue()
    kept = printed(path)
    assert [line.get("message") or line.get("kind") for line in kept] == [
        "render ended",
        "browser lost",
        None,
        "no JSON",
        "request",
        "invocation",
    ]
    assert "_aws" in kept[2]
    assert "secret" not in path.read_text()


def test_json_console_prints_every_line(path: Path, opened: Open) -> None:
    shown = io.StringIO()
    console = Console(as_json=True, out=shown, log_file=opened())

    console.log_line("RenderFunction", INFO)
    console.log_request("GET", "/v1/renders", 200, 1.5, "r")

    assert [json.loads(line) for line in shown.getvalue().splitlines()] == printed(path)


def test_the_log_is_bounded_and_loses_the_oldest_lines(path: Path, opened: Open) -> None:
    kept = opened(max_bytes=1000)
    for number in range(1000):
        kept.append(json.dumps({"n": number}))

    numbers = [line["n"] for line in printed(path)]
    assert numbers == list(range(numbers[0], 1000))
    assert sum(file.stat().st_size for file in log_files(path)) <= 1000 * (BACKUPS + 1)
    assert len(numbers) > 200


def test_a_new_stack_begins_a_new_log(path: Path, opened: Open) -> None:
    for _ in range(2):
        kept = opened(max_bytes=100)
        for _ in range(9):
            kept.append(INFO)
    opened()

    assert printed(path) == []


def test_log_file_is_readable_by_its_owner_only(path: Path, opened: Open) -> None:
    kept = opened(max_bytes=100)
    for _ in range(9):
        kept.append(INFO)

    modes = {stat.S_IMODE(file.stat().st_mode) for file in log_files(path)}
    assert modes == {0o600}


def test_undecodable_line_is_kept_with_replacements(path: Path, opened: Open) -> None:
    Console(as_json=False, out=io.StringIO(), log_file=opened()).log_line(
        "F", "\ud800 \x00 a\u2028b"
    )

    (line,) = printed(path)
    assert line["message"] == "\ud800 \x00 a\u2028b"


@pytest.mark.parametrize("text", [*HOSTILE_TEXTS, *HOSTILE_NAMES.values()])
def test_printed_lines_escape_control_characters(text: str) -> None:
    # As strict as the encoding of a terminal.
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")
    console = Console(as_json=False, out=out)
    console.log_request("GET", text, 200, 1, text)
    console.log_line("F", text)
    console.log_line("F", json.dumps({"level": "ERROR", "message": text, "exception": text}))
    failure = {"errorType": "E", "errorMessage": text, "stackTrace": [text]}
    console.log_failure("F", json.dumps(failure).encode())
    console.log_invocation("F", 1, text, text)

    out.seek(0)
    lines = out.read().split("\n")[:-1]
    assert all(line.isprintable() for line in lines)
    begun = [line for line in lines if not line.startswith("  | ")]
    assert all(re.match(r"\d\d:\d\d:\d\d (GET|log|error|invoke) ", line) for line in begun)
    # Info records and empty lines are not shown.
    assert 4 <= len(begun) <= 5


@pytest.mark.parametrize(
    "text", [*HOSTILE_TEXTS, *HOSTILE_NAMES.values(), "{", '{"level": "ERROR"', "[1]"]
)
def test_json_console_always_prints_json_lines(text: str) -> None:
    shown = io.StringIO()
    console = Console(as_json=True, out=shown)

    console.log_line("F", text.replace("\n", " "))
    console.log_request("GET", text, 200, 1, text)

    kinds = [json.loads(line).get("kind") for line in shown.getvalue().splitlines()]
    assert kinds[-1] == "request"
    assert len(kinds) == 2
