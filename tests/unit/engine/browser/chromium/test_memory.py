"""Memory of the browser's processes, measured by several threads at once."""

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from chalicelib.engine.browser.chromium.memory import ProcessSession

PARENT = "import subprocess,sys;[subprocess.Popen(['true']).wait() for _ in range(150)]"


@pytest.fixture
def leader() -> Iterator[int]:
    with ExitStack() as cleanup:
        process = subprocess.Popen([sys.executable, "-c", PARENT], start_new_session=True)
        cleanup.callback(process.wait)
        cleanup.callback(process.kill)
        yield process.pid


def test_memory_is_measured_while_processes_start_and_end(leader: int) -> None:
    session = ProcessSession(leader)

    with ThreadPoolExecutor(4) as threads:
        seen = list(threads.map(lambda _: session.memory_bytes(), range(400)))

    assert max(seen) > 1_000_000
    assert ProcessSession(os.getpid() + 10_000_000).memory_bytes() == 0
