"""Worker output: read completely before the answer is passed on."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infra.local.runner.process import WorkerOutput
from tests.builders.waiting import PATIENCE_S


@contextmanager
def output_pipe(log: Callable[[str], None]) -> Iterator[tuple[int, WorkerOutput]]:
    """Give the write end and the lines read from it; read the rest at the end."""
    theirs, end = os.pipe()
    output = WorkerOutput(os.fdopen(theirs, "rb", buffering=0), log)
    try:
        yield end, output
    finally:
        following = threading.Thread(target=output.follow)
        following.start()
        os.close(end)
        following.join(PATIENCE_S)
        assert not following.is_alive()


def test_catch_up_waits_for_lines_read_by_another_thread() -> None:
    begun, lines = threading.Event(), []

    def slow(line: str) -> None:
        begun.set()
        time.sleep(0.1)
        lines.append(line)

    with output_pipe(slow) as (end, output):
        os.write(end, b"one\ntwo\n")
        reader = threading.Thread(target=output.catch_up)
        reader.start()
        assert begun.wait(PATIENCE_S)
        output.catch_up()
        assert lines == ["one", "two"]
        reader.join()


def test_catch_up_reads_unread_lines_without_waiting() -> None:
    lines: list[str] = []
    with output_pipe(lines.append) as (end, output):
        os.write(end, b"a" * 60_000 + b"\nhalf")
        output.catch_up()
        output.catch_up()
        assert [len(line) for line in lines] == [60_000]
        os.write(end, b" a line\n")
        output.catch_up()
        assert lines[1:] == ["half a line"]


def test_last_line_needs_no_newline_and_ends_the_output() -> None:
    lines: list[str] = []
    with output_pipe(lines.append) as (end, output):
        os.write(end, "one\n\nzwölf".encode() + b"\xff")
    output.catch_up()

    assert lines == ["one", "", "zwölf\ufffd"]
