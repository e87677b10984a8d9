"""Runs parts of the suite side by side."""

import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Collection, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Final

from infra.suite.parts import Part
from infra.suite.results import PartResult, read_result
from infra.template import ROOT

# A part that hangs ends here, and the others are not lost.
_MAX_PART_S: Final = 2_400
# Time to end what tests have started.
_MAX_END_S: Final = 60


def run_parts(parts: Sequence[Part], *, slots: int) -> Iterator[PartResult]:
    """Run parts, `slots` workers at a time, and yield each result as it comes.

    Whenever there is room, the first part that fits into it starts, in their order.
    """
    waiting = list(parts)
    running: dict[Future[PartResult], Part] = {}
    with ThreadPoolExecutor(max_workers=len(waiting)) as threads:
        while waiting or running:
            while (part := _fitting(waiting, running.values(), slots)) is not None:
                waiting.remove(part)
                running[threads.submit(run_part, part)] = part
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                del running[future]
                yield future.result()


def _fitting(waiting: Sequence[Part], running: Collection[Part], slots: int) -> Part | None:
    """Return the first part that fits beside those that run; any fits where none runs."""
    free = slots - sum(part.workers for part in running)
    return next((part for part in waiting if part.workers <= free or not running), None)


def run_part(part: Part, *, only_failed: bool = False) -> PartResult:
    """Run the commands of a part until one fails; `only_failed`: the failures of its last run."""
    started = time.monotonic()
    part.log.parent.mkdir(parents=True, exist_ok=True)
    part.log.unlink(missing_ok=True)
    part.report.unlink(missing_ok=True)
    if not only_failed:
        shutil.rmtree(part.cache, ignore_errors=True)
    commands = part.commands_to_run(only_failed=only_failed)
    statuses = (_run(command, part.log) for command in commands)
    is_green = all(status == 0 for status in statuses)
    return read_result(part, is_green=is_green, seconds=time.monotonic() - started)


def repeat_failed(part: Part, first: PartResult) -> PartResult:
    """Run the failures of a part once more, and return the result of the whole part."""
    second = run_part(part, only_failed=True)
    cases = first.passed + len(first.failed)
    return PartResult(part.name, cases - len(second.failed), second.failed, second.seconds)


def _run(command: Sequence[str], log: Path) -> int:
    """Run a command with its output at the end of a log, and return its status."""
    with log.open("ab") as output:
        output.write(f"$ {shlex.join(command)}\n".encode())
        output.flush()
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        )
        try:
            return process.wait(timeout=_MAX_PART_S)
        except subprocess.TimeoutExpired:
            output.write(f"\nended after {_MAX_PART_S} s\n".encode())
            # As at a terminal: pytest prints what has failed, and ends what tests have started.
            process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=_MAX_END_S)
        except subprocess.TimeoutExpired:
            process.kill()
        return process.wait() or 1
