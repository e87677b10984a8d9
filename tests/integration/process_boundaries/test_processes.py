"""Isolation of the browser's processes: nothing of the function to read, signal or inherit."""

import os
import pwd
import re
import socket
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from chalicelib.engine.browser.chromium.installation import UNPRIVILEGED_USER
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.templating.worker import TemplateWorker
from infra.local.log_file import LogFile
from infra.local.paths import StackFolder
from tests.builders.pages.real_browser import new_browser, render_with
from tests.builders.waiting import eventually, generous_deadline

pytestmark = pytest.mark.integration

SECRET: Final = "a-credential-of-the-function"
MARKER: Final = "words-of-a-document"
NEEDED: Final = {
    "PATH",
    "HOME",
    "TMPDIR",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "LD_LIBRARY_PATH",
    "FONTCONFIG_FILE",
    "LANG",
    "TZ",
}
KINDS: Final = {"", "zygote", "renderer", "utility"}
AS_ROOT: Final = os.geteuid() == 0
USER: Final = pwd.getpwnam(UNPRIVILEGED_USER)
KEEPS: Final = f"""
    <script type=module>
    localStorage.setItem('{MARKER}', '{MARKER}');
    sessionStorage.setItem('{MARKER}', '{MARKER}');
    document.cookie = 'a={MARKER}';
    await (await caches.open('{MARKER}')).put('/{MARKER}', new Response('{MARKER}'));
    await new Promise(done => indexedDB.open('{MARKER}').onsuccess = done);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['{MARKER}'.repeat(99999)]));
    link.download = '{MARKER}.txt';
    link.click();
    document.title = 'kept';
    </script><p>{MARKER}
"""


def proc(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text(encoding="utf-8", errors="replace")


def kind_of(pid: int) -> str:
    found = re.search(r"--type=([a-z-]+)", proc(pid, "cmdline"))
    return found[1] if found else ""


def status_of(pid: int) -> dict[str, str]:
    lines = (line.partition(":") for line in proc(pid, "status").splitlines())
    return {name: value.strip() for name, _, value in lines}


def environment_of(pid: int) -> dict[str, str]:
    # If a process has set its title, the end of its command line precedes the variables.
    entries = (entry.partition("=") for entry in proc(pid, "environ").split("\0"))
    return {name: value for name, _, value in entries if re.fullmatch(r"\w+", name)}


def seen_by(pid: int) -> list[str]:
    """Return the entries of a process's root folder."""
    try:
        return [entry.name for entry in Path(f"/proc/{pid}/root").iterdir()]
    except ProcessLookupError:
        # The root was the folder of a process that has ended, not of this one.
        return [] if Path(f"/proc/{pid}/stat").exists() else ["a process that has ended"]


def opened_by(pid: int) -> set[str]:
    folder = Path(f"/proc/{pid}/fd")
    found = set()
    for entry in folder.iterdir():
        try:
            found.add(str(entry.readlink()))
        except FileNotFoundError:
            continue
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Return a browser whose owner has credentials and inheritable open files."""
    path = tmp_path_factory.mktemp("owner") / "open"
    path.write_text(SECRET, encoding="utf-8")
    browser = new_browser()
    with pytest.MonkeyPatch.context() as environment, path.open("rb") as file, socket.socket() as s:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"):
            environment.setenv(name, SECRET)
        environment.setenv("PLATEN_SMTP_URL", f"smtp://a:{SECRET}@localhost")
        s.bind(("127.0.0.1", 0))
        for each in (file.fileno(), s.fileno()):
            os.set_inheritable(each, True)  # noqa: FBT003 -- as it is called
        render_with(browser, f"<p>{MARKER}")
        browser.prepare().result()
        yield browser
        browser.close()


def test_every_process_has_a_minimal_environment(browser: Browser) -> None:
    pids = browser.pids
    assert {kind_of(pid) for pid in pids} >= KINDS
    assert SECRET in os.environ["AWS_SECRET_ACCESS_KEY"]
    for pid in pids:
        assert environment_of(pid).keys() <= NEEDED, kind_of(pid)
        assert SECRET not in proc(pid, "environ") + proc(pid, "cmdline")


def test_no_process_inherits_files_beyond_the_pipe(browser: Browser) -> None:
    ours = {link for link in opened_by(os.getpid()) if link.startswith(("socket:", "pipe:"))}
    ours |= {link for link in opened_by(os.getpid()) if link.endswith("/open")}
    assert any(link.endswith("/open") for link in ours)
    assert any(link.startswith("socket:") for link in ours)

    supervisor, main, *others = sorted(browser.pids)
    # The pipe to and from the browser, and its supervisor's own standard input and output.
    assert len(opened_by(main) & ours) == 2
    assert all(link.startswith("pipe:") for link in opened_by(main) & ours)
    assert len(opened_by(supervisor) & ours) <= 3
    for pid in others:
        assert not {link for link in opened_by(pid) & ours if link.startswith("socket:")}
        assert not {link for link in opened_by(pid) & ours if link.endswith("/open")}


def test_renderers_run_with_seccomp_and_own_namespaces(browser: Browser) -> None:
    pids = [pid for pid in browser.pids if kind_of(pid) == "renderer"]
    assert pids
    for pid in pids:
        status = status_of(pid)
        assert "--no-sandbox" not in proc(pid, "cmdline")
        assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
        assert int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0
        for namespace in ("user", "pid", "net"):
            own = Path(f"/proc/self/ns/{namespace}").readlink()
            assert Path(f"/proc/{pid}/ns/{namespace}").readlink() != own, namespace
        # Its root is an empty folder, so there is no file to open. In its pid namespace there is
        # no other process to signal or trace.
        assert seen_by(pid) == []
        assert len(status["NSpid"].split()) > 1


@pytest.mark.skipif(not AS_ROOT, reason="only root gives up its rights")
def test_no_process_runs_as_root(browser: Browser) -> None:
    for pid in browser.pids:
        status = status_of(pid)
        assert "0" not in status["Uid"].split() + status["Gid"].split()
        assert status["Groups"] == ""
        if Path(f"/proc/{pid}/ns/user").readlink() == Path("/proc/self/ns/user").readlink():
            assert int(status["CapEff"], 16) == 0


def run(script: str, *arguments: str) -> subprocess.Popen[str]:
    """Run a script as the user of the browser."""
    become = f"""
        import ctypes, os, sys, time
        from chalicelib.engine.render_engine import make_undumpable
        from chalicelib.engine.sandbox.walls import Walls
        if {AS_ROOT}:
            os.setgroups([])
            os.setresgid({USER.pw_gid}, {USER.pw_gid}, {USER.pw_gid})
            os.setresuid({USER.pw_uid}, {USER.pw_uid}, {USER.pw_uid})
            ctypes.CDLL(None).prctl(4, 1, 0, 0, 0)  # as after a start as this user
    """
    return subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(become) + textwrap.dedent(script), *arguments],
        env={"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        stdout=subprocess.PIPE,
        text=True,
    )


REACH: Final = """
    pid, reached = int(sys.argv[1]), []
    for name in ("environ", "mem", "maps", "auxv", "fd", "cwd"):
        path = f"/proc/{pid}/{name}"
        try:
            os.readlink(path) if name == "cwd" else os.close(os.open(path, os.O_RDONLY))
        except PermissionError:
            continue
        reached.append(name)
    if ctypes.CDLL(None).ptrace(0x4206, pid, 0, 0) == 0:
        reached.append("ptrace")
    for name, attempt in {
        "signal": lambda: os.kill(pid, 0),
        "state": lambda: open(sys.argv[2]),
        "root": lambda: os.setuid(0),
    }.items():
        try:
            attempt()
        except PermissionError:
            continue
        reached.append(name)
    print(*reached)
"""


@pytest.mark.skipif(not AS_ROOT, reason="only root gives up its rights")
def test_browser_user_cannot_reach_the_function() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = StackFolder(Path(name))
        folder.path.chmod(0o755)
        folder.private_log("stack").write_text(SECRET, encoding="utf-8")
        with closing(LogFile(folder.functions_log)) as kept:
            kept.append(SECRET)
        for state in (folder.log("stack"), folder.functions_log):
            with run(REACH, str(os.getpid()), str(state)) as page:
                assert page.communicate()[0] == "\n"


def test_non_dumpable_function_is_closed_to_its_own_user() -> None:
    # As on Lambda: one user for all, and no namespaces.
    function = """
        if sys.argv[1] == "kept":
            make_undumpable(Walls())
        print("ready", flush=True)
        time.sleep(600)
    """
    reached = {}
    for way in ("open", "kept"):
        with run(function, way) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == "ready\n"
            with run(REACH, str(running.pid), os.devnull) as page:
                reached[way] = set(page.communicate()[0].split())
            running.kill()

    readable = {"environ", "mem", "maps", "auxv", "fd", "cwd", "ptrace"}
    assert reached["open"] & readable >= {"environ", "maps", "fd", "cwd"}
    assert reached["kept"] & readable == set()


def test_document_leaves_nothing_in_the_browser_home(browser: Browser) -> None:
    wait = {"expression": "document.title === 'kept'", "timeout_ms": 60_000}
    render_with(browser, KEEPS, wait=wait)
    browser.prepare().result()

    main = next(pid for pid in sorted(browser.pids) if "HOME" in environment_of(pid))
    home = Path(environment_of(main)["HOME"])

    def holders() -> list[str]:
        files = [path for path in home.rglob("*") if path.is_file() or path.name.find(MARKER) >= 0]
        return [
            str(path)
            for path in files
            if MARKER in path.name or MARKER.encode() in path.read_bytes()
        ]

    # The files of a browser context are removed shortly after the context.
    eventually(lambda: not holders())
    assert home.stat().st_mode & 0o077 == 0


def test_template_process_has_only_its_pipes(browser: Browser) -> None:
    assert SECRET in os.environ["AWS_SESSION_TOKEN"]
    assert browser.pids
    worker = TemplateWorker()
    try:
        deadline = generous_deadline()
        assert worker.render("{{ 1 }}", {}, strict=False, deadline=deadline) == "1"
        assert worker._child is not None
        pid = worker._child._process.pid
        status = status_of(pid)
        assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
        if AS_ROOT:
            # It is not dumpable: only root looks into it.
            names = {entry.partition("=")[0] for entry in proc(pid, "environ").split("\0")}
            assert names - {""} == {"PYTHONPATH"}
            assert {path.name for path in Path(f"/proc/{pid}/fd").iterdir()} == {"0", "1", "2"}
            assert "0" not in status["Uid"].split()
    finally:
        worker.close()
