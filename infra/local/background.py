"""Background stacks: start, find and stop them by their run file."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import psutil

from infra.local.emulators import StackError
from infra.local.paths import StackFolder, tail
from infra.template import ROOT

START_TIMEOUT_S: Final = 120.0
STOP_TIMEOUT_S: Final = 15.0
_NO_VARIABLES: Final[Mapping[str, str]] = MappingProxyType({})


def find_running_stack(folder: StackFolder) -> Mapping[str, Any] | None:
    """Return the run file of a stack that is alive, or None."""
    run_info = folder.run_info()
    return run_info if run_info and _stack_process(run_info) else None


def start(
    folder: StackFolder,
    port: int,
    *,
    as_json: bool = False,
    environment: Mapping[str, str] = _NO_VARIABLES,
) -> Mapping[str, Any]:
    """Start a stack in its own session and return its run file once it serves.

    `environment` is added to this process's variables. Raises StackError if it does not start.
    """
    folder.path.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "infra.local", "up"]
    command += ["--port", str(port), "--dir", str(folder.path)]
    command += ["--json"] if as_json else []
    # The stack's log contains the API keys.
    log = folder.private_log("stack")
    log.write_bytes(b"")
    # Who rotates it may empty it: the next line then begins at 0.
    with log.open("ab") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        run_info = folder.run_info()
        if run_info and run_info["pid"] == process.pid:
            # The stack outlives this object; a return code avoids Popen's ResourceWarning.
            process.returncode = 0
            return run_info
        time.sleep(0.05)
    process.terminate()
    process.wait()
    message = f"the stack did not start; the end of {log}:\n{tail(log)}"
    raise StackError(message)


def stop(folder: StackFolder) -> bool:
    """Stop the stack of this folder; return False if none runs."""
    run_info = folder.run_info()
    process = _stack_process(run_info) if run_info else None
    if process is None:
        folder.run_file.unlink(missing_ok=True)
        return False
    process.terminate()
    try:
        process.wait(STOP_TIMEOUT_S)
    except psutil.TimeoutExpired:
        process.kill()
        folder.run_file.unlink(missing_ok=True)
    return True


def _stack_process(run_info: Mapping[str, Any]) -> psutil.Process | None:
    try:
        process = psutil.Process(run_info["pid"])
        return process if "infra.local" in process.cmdline() else None
    except psutil.Error:
        return None
