"""Supervisor of the browser at its start."""

import signal
import subprocess
import sys
import textwrap

import pytest

from tests.builders.waiting import PATIENCE_S

pytestmark = pytest.mark.integration


def test_browser_without_its_group_yet_is_killed_too() -> None:
    script = """
        import os, time
        from chalicelib.engine.browser.chromium import supervisor
        browser = os.fork()
        if browser == 0:
            time.sleep(600)
        print(os.waitstatus_to_exitcode(supervisor._kill_all(browser)))
    """
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        start_new_session=True,
        check=True,
    )

    assert ran.stdout == f"-{signal.SIGKILL:d}\n"
