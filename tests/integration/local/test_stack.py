"""The stack as its user starts and stops it."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from infra.local import background
from infra.local.paths import StackFolder
from infra.local.running_stack import RunningStack
from infra.template import ROOT
from tests.builders.stack.api_client import ApiClient

pytestmark = pytest.mark.integration


def family(pid: int) -> list[psutil.Process]:
    head = psutil.Process(pid)
    return [head, *head.children(recursive=True)]


def ended(processes: list[psutil.Process]) -> bool:
    """Wait until the processes have ended, and tell whether they have."""
    until = time.monotonic() + 30
    while any(each.is_running() and not _is_zombie(each) for each in processes):
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def _is_zombie(process: psutil.Process) -> bool:
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def test_port_in_use_is_named_before_anything_starts(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as occupied:
        port = str(occupied.getsockname()[1])
        command = [sys.executable, "-m", "infra.local", "up", "--port", port]
        ran = subprocess.run(
            [*command, "--dir", str(tmp_path)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )

    assert ran.returncode == 1
    assert f"port {port}" in ran.stderr
    assert "starting" not in ran.stdout


@pytest.mark.breadth
def test_stopped_stack_leaves_nothing_behind_and_can_be_started_again(
    stack: RunningStack, tmp_path: Path
) -> None:
    folder = StackFolder(tmp_path)
    workspaces = set[str]()
    for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
        started = background.start(folder, 0)
        workspaces.add(started["workspace"])
        processes = family(started["pid"])
        assert len(processes) > 4

        if number == signal.SIGTERM:
            assert background.stop(folder)
        else:
            psutil.Process(started["pid"]).send_signal(number)

        assert ended(processes)
        assert background.find_running_stack(folder) is None
        # What is killed leaves its files, which the next one replaces.
        for path in (folder.run_file, folder.scratch):
            assert path.exists() == (number == signal.SIGKILL), path
    assert len(workspaces) == 3
    # Another stack goes on.
    with ApiClient(stack, stack.live_key) as client:
        assert client.render().status_code == 200
