"""Templates where the kernel refuses the system call filter: they run, and one log line says so."""

import logging
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from chalicelib.engine.templating.worker import TemplateWorker

pytestmark = pytest.mark.integration

# This filter is inherited by every child and answers EPERM to any further filter: to `prctl`
# (number 157) with PR_SET_SECCOMP (22) as its first argument.
REFUSED = """
    import ctypes, logging, struct, sys, time
    from chalicelib.engine.templating.worker import TemplateWorker

    logging.basicConfig(stream=sys.stdout, format="%(levelname)s %(message)s")
    steps = [
        (0x20, 0, 0, 0), (0x15, 0, 3, 157), (0x20, 0, 0, 16), (0x15, 0, 1, 22),
        (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7FFF0000),
    ]
    program = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *it) for it in steps))
    rule = ctypes.create_string_buffer(
        struct.pack("@HxxxxxxP", len(steps), ctypes.addressof(program))
    )
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, rule, 0, 0) == 0

    worker = TemplateWorker()
    for n in (1, 2):
        print(worker.render("{{ n }}", {"n": n}, strict=False, deadline=time.time() + 20))
        worker.close()
"""


def test_refused_system_call_filter_is_logged_once(tmp_path: Path) -> None:
    script = tmp_path / "refused.py"
    script.write_text(textwrap.dedent(REFUSED), encoding="utf-8")

    result = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True, timeout=30
    )

    warning, *texts = result.stdout.splitlines()
    assert warning.startswith("WARNING templates run without a system call filter")
    assert texts == ["1", "2"]


def test_installed_system_call_filter_is_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    worker = TemplateWorker()

    with caplog.at_level(logging.WARNING):
        worker.render("x", {}, strict=False, deadline=time.time() + 20)

    worker.close()
    assert caplog.records == []
