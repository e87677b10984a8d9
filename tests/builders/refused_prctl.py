"""A kernel that refuses `prctl`, as that of Lambda does, in a process of its own."""

import os
import subprocess
import sys
import textwrap
from typing import Final

from infra.template import ROOT

# The filter is inherited by every child and answers EPERM to `prctl` (number 157). It is installed
# by `seccomp` (number 317) itself.
_REFUSING: Final = """
import ctypes, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 157), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000)]
program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps))
rule = ctypes.create_string_buffer(
    struct.pack("@HxxxxxxP", len(steps), ctypes.addressof(program))
)
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.syscall(317, 1, 0, rule) == 0
assert libc.prctl(4, 0, 0, 0, 0) == -1
"""


def run_without_prctl(script: str, *arguments: str) -> str:
    """Run a script whose process and children may not call `prctl`; return its output."""
    done = subprocess.run(
        [sys.executable, "-c", _REFUSING + textwrap.dedent(script), *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
