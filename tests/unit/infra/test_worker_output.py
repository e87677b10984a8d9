"""What a worker writes: read before its answer is handed on, whoever reads it."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from infra.local.runner.process import WorkerOutput


@contextmanager
def written_to(log: Callable[[str], None]) -> Iterator[tuple[int, WorkerOutput]]:
    """Give the end to write to and what is read from it; the rest is followed to its end."""
    theirs, end = os.pipe()
    output = WorkerOutput(os.fdopen(theirs, "rb", buffering=0), log)
    try:
        yield end, output
    finally:
        following = threading.Thread(target=output.follow)
        following.start()
        os.close(end)
        following.join(5)
        assert not following.is_alive()


def test_catching_up_waits_for_lines_that_another_thread_has_read() -> None:
    begun, lines = threading.Event(), []

    def slow(line: str) -> None:
        begun.set()
        time.sleep(0.1)
        lines.append(line)

    with written_to(slow) as (end, output):
        os.write(end, b"one\ntwo\n")
        reader = threading.Thread(target=output.catch_up)
        reader.start()
        assert begun.wait(5)
        output.catch_up()
        assert lines == ["one", "two"]
        reader.join()


def test_catching_up_reads_what_nobody_has_read_yet_and_waits_for_nothing() -> None:
    lines: list[str] = []
    with written_to(lines.append) as (end, output):
        os.write(end, b"a" * 60_000 + b"\nhalf")
        output.catch_up()
        output.catch_up()
        assert [len(line) for line in lines] == [60_000]
        os.write(end, b" a line\n")
        output.catch_up()
        assert lines[1:] == ["half a line"]


def test_the_last_line_needs_no_end_and_afterwards_there_is_nothing_to_read() -> None:
    lines: list[str] = []
    with written_to(lines.append) as (end, output):
        os.write(end, "one\n\nzwölf".encode() + b"\xff")
    output.catch_up()

    assert lines == ["one", "", "zwölf\ufffd"]
