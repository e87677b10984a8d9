"""Browser process tree: started below a supervisor, ended with all its descendants."""

import contextlib
import logging
import os
import re
import secrets
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Final

from chalicelib.engine.browser.chromium.flags import command_line
from chalicelib.engine.browser.chromium.installation import BrowserInstallation
from chalicelib.engine.browser.chromium.memory import ProcessSession, session_pids
from chalicelib.engine.browser.chromium.pipe import BrowserGoneError, Pipe
from chalicelib.engine.sandbox.walls import BROWSER_SANDBOX, Walls, WallsMissingError

log = logging.getLogger(__name__)

_END_TIMEOUT_S: Final = 5.0
_RESCAN_S: Final = 0.005
_BACKGROUND_NICENESS: Final = 10
_CAP_SYS_ADMIN: Final = 1 << 21
_HOME_PREFIX: Final = "platen-browser-"
# Run as a script, never imported: a minimal interpreter starts faster.
_SUPERVISOR: Final = str(Path(__file__).with_name("supervisor.py"))


class BrowserProcess:
    """Running browser with its supervisor; start it from a thread that outlives it."""

    def __init__(self, installation: BrowserInstallation, walls: Walls, *, sandbox: bool) -> None:
        """Start the browser.

        Raises BrowserGoneError when its supervisor does not come up, and WallsMissingError.
        """
        remove_orphaned_homes()
        self._home = _homes_folder() / f"{_HOME_PREFIX}{os.getpid()}-{secrets.token_hex(8)}"
        from_us, to_browser = os.pipe()
        to_us, from_browser = os.pipe()
        command = command_line(
            str(installation.executable),
            f"{self._home}/profile",
            sandbox=sandbox,
        )
        arguments = self._supervisor_arguments(installation, (from_us, from_browser), command)
        try:
            self._supervisor = subprocess.Popen(
                arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                pass_fds=(from_us, from_browser),
                env={},
                start_new_session=True,
            )
        finally:
            os.close(from_us)
            os.close(from_browser)
        self._session = ProcessSession(self._supervisor.pid)
        self.pipe = Pipe(to_browser, to_us)
        assert self._supervisor.stdout is not None
        line = self._supervisor.stdout.readline()
        if not line:
            self.kill()
            message = "the browser's supervisor did not start"
            raise BrowserGoneError(message)
        pid, *missing = line.decode().split()
        self._browser_pid = int(pid)
        try:
            walls.admit("browser", [*missing, *([] if sandbox else [BROWSER_SANDBOX])])
        except WallsMissingError:
            self.kill()
            raise

    def end(self) -> None:
        """Request the end of the browser and all its processes; return at once."""
        assert self._supervisor.stdin is not None
        # The supervisor kills everything when its standard input closes.
        self._supervisor.stdin.close()

    def kill(self) -> None:
        """End the browser and all its processes; return when they are gone."""
        assert self._supervisor.stdout is not None
        if self._supervisor.returncode is not None:
            return
        self.end()
        supervisor_end = select.poll()
        # Only the supervisor holds the other end of its output.
        supervisor_end.register(self._supervisor.stdout, 0)
        if not supervisor_end.poll(_END_TIMEOUT_S * 1000):
            log.warning("browser supervisor did not end; killing its processes")
        self._kill_processes()
        self._supervisor.wait(_END_TIMEOUT_S)
        self._supervisor.stdout.close()
        self.pipe.close()
        shutil.rmtree(self._home, ignore_errors=True)

    def lower_priority(self) -> None:
        """Let the browser yield to other processes: storing a document precedes the next page."""
        self._set_niceness(_BACKGROUND_NICENESS)

    def restore_priority(self) -> None:
        """Restore the normal priority, as a render waits for the browser."""
        self._set_niceness(0)

    @property
    def home(self) -> Path:
        """Return the browser's HOME folder."""
        return self._home

    @property
    def pid(self) -> int:
        """Return the id of the browser's main process, which is also its process group."""
        return self._browser_pid

    def pids(self) -> list[int]:
        """Return the ids of the supervisor and all its descendants that run."""
        return session_pids(self._supervisor.pid)

    def memory_bytes(self) -> int:
        """Return the memory of the process tree, in bytes."""
        return self._session.memory_bytes()

    def stderr_tail(self) -> str:
        """Return the last 2 000 characters of the browser's error output."""
        try:
            return (self._home / "stderr").read_text(encoding="utf-8", errors="replace")[-2000:]
        except OSError:
            return ""

    def _supervisor_arguments(
        self, installation: BrowserInstallation, descriptors: tuple[int, int], command: list[str]
    ) -> list[str]:
        account, home = installation.account, str(self._home)
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": home,
            "TMPDIR": home,
            "XDG_CACHE_HOME": f"{home}/cache",
            "XDG_CONFIG_HOME": f"{home}/config",
            "LD_LIBRARY_PATH": str(installation.libraries),
            "FONTCONFIG_FILE": str(installation.fonts_conf),
            "LANG": "en_US.UTF-8",
            "TZ": "UTC",
        }
        return [
            *(sys.executable, "-I", "-S", _SUPERVISOR),
            "" if account is None else f"{account.uid}:{account.gid}",
            home,
            str(installation.fonts_conf.parent / "cache"),
            *map(str, descriptors),
            *(f"{name}={value}" for name, value in environment.items()),
            *("--", *command),
        ]

    def _set_niceness(self, niceness: int) -> None:
        # With autogroups (sched(7)) each session has a niceness of its own. An ordinary user can
        # lower it again, unlike the niceness of a process.
        if not _has_cap_sys_admin():
            return
        with contextlib.suppress(OSError):
            group = Path(f"/proc/{self._supervisor.pid}/autogroup")
            group.write_text(str(niceness), encoding="ascii")

    def _kill_processes(self) -> None:
        """Kill the session, with processes that a killed supervisor left behind.

        The supervisor is not reaped yet: no other session can have its id.
        """
        end = time.monotonic() + _END_TIMEOUT_S
        while (pids := self.pids()) and time.monotonic() < end:
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(_RESCAN_S)


def remove_orphaned_homes() -> None:
    """Remove the homes of browsers whose owner was killed together with its supervisor."""
    for home in _homes_folder().glob(f"{_HOME_PREFIX}*"):
        owner = home.name.removeprefix(_HOME_PREFIX).partition("-")[0]
        if owner.isdigit() and not Path(f"/proc/{owner}").exists():
            shutil.rmtree(home, ignore_errors=True)


@cache
def _has_cap_sys_admin() -> bool:
    """Tell whether the process has CAP_SYS_ADMIN.

    Without it the kernel allows ten changes of an autogroup's niceness a second, system-wide.
    """
    status = Path("/proc/self/status").read_text(encoding="ascii", errors="replace")
    effective = re.search(r"^CapEff:\s*([0-9a-f]+)$", status, re.MULTILINE)
    return effective is not None and bool(int(effective[1], 16) & _CAP_SYS_ADMIN)


def _homes_folder() -> Path:
    return Path(tempfile.gettempdir())
