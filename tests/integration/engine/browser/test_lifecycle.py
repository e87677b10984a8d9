"""Lifecycle of the browser: dead or hanging browsers are replaced, and nothing is left behind."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.chromium.installation import BrowserMissingError
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.browser.tab.warm_up import BrowserUnusableError
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.sandbox.walls import Walls, WallsMissingError
from infra.template import ROOT
from tests.builders.pages.engine_jobs import egress_to
from tests.builders.pages.held_documents import HeldDocument
from tests.builders.pages.real_browser import (
    folder,
    new_browser,
    render_with,
)
from tests.builders.pages.web_site import Site, running_site
from tests.builders.waiting import eventually

NEVER = {"expression": "false", "timeout_ms": 60_000}


def alive(pids: list[int]) -> list[int]:
    """Return the pids that still run; a zombie has ended."""
    found = []
    for pid in pids:
        try:
            state = (
                Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
            )
        except (FileNotFoundError, ProcessLookupError):
            # It ended before its file was opened, or between opening and reading it.
            continue
        if state != "Z":
            found.append(pid)
    return found


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""


def main_process(pids: list[int]) -> int:
    return next(
        pid
        for pid in pids
        if b"--remote-debugging-pipe" in command_of(pid) and b"supervisor" not in command_of(pid)
    )


def renderers(pids: list[int]) -> list[int]:
    return [pid for pid in pids if b"--type=renderer" in command_of(pid)]


def kill_renderers(pids: list[int]) -> None:
    for pid in renderers(pids):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


@pytest.fixture
def site() -> Iterator[Site]:
    with running_site({}) as running:
        yield running


@pytest.fixture
def browser(site: Site) -> Iterator[Browser]:
    browser = new_browser(egress=egress_to(site))
    yield browser
    browser.close()


def rendered_despite(browser: Browser, site: Site, fault: Callable[[], object]) -> RenderOutcome:
    """Render a document that is not ready before the fault has come in the middle of it."""
    document = HeldDocument(site)

    def strike() -> None:
        eventually(document.load_count)
        fault()
        document.finish()

    thread = threading.Thread(target=strike)
    thread.start()
    outcome = render_with(browser, **document.fields["output"], html=document.fields["html"])
    thread.join()
    return outcome


@pytest.fixture
def own_tmp(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Put copies and homes into a temporary folder that is open to all."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o1777)
        monkeypatch.setattr(tempfile, "tempdir", folder)
        yield Path(folder)


def test_close_leaves_no_processes_or_folders(browser: Browser, own_tmp: Path) -> None:
    render_with(browser, "<p>x")
    pids = browser.pids
    assert len(pids) > 3

    browser.close()

    assert alive(pids) == []
    assert list(own_tmp.glob("platen-browser-*")) == []


@pytest.mark.parametrize("stop", [signal.SIGKILL, signal.SIGSEGV])
def test_a_browser_that_dies_in_mid_render_is_replaced(
    browser: Browser, site: Site, stop: int
) -> None:
    browser.start()
    old = browser.pids

    outcome = rendered_despite(browser, site, lambda: os.kill(main_process(old), stop))

    assert outcome.files[0].pages == 1
    eventually(lambda: alive(old) == [])


def test_both_browsers_killed_at_once_do_not_fail_the_render(browser: Browser, site: Site) -> None:
    render_with(browser, "<p>x")
    eventually(lambda: len(browser.processes) == 2)
    browser.prepare().result()

    def kill_both() -> None:
        for process in browser.processes:
            os.kill(main_process(process.pids()), signal.SIGKILL)

    outcome = rendered_despite(browser, site, kill_both)

    assert outcome.files[0].pages == 1


def test_a_page_process_that_dies_in_mid_render_is_replaced(browser: Browser, site: Site) -> None:
    browser.start()

    outcome = rendered_despite(browser, site, lambda: kill_renderers(browser.pids))

    assert outcome.files[0].pages == 1


def test_a_browser_that_hangs_is_replaced(browser: Browser, site: Site) -> None:
    browser.start()
    old = browser.pids

    outcome = rendered_despite(browser, site, lambda: os.kill(main_process(old), signal.SIGSTOP))

    assert outcome.files[0].pages == 1
    eventually(lambda: alive(old) == [])


def test_a_browser_that_dies_between_renders_is_replaced(browser: Browser) -> None:
    render_with(browser, "<p>x")
    browser.prepare().result()
    os.kill(main_process(browser.pids), signal.SIGKILL)

    assert render_with(browser, "<p>x").files[0].pages == 1


def test_document_that_kills_every_browser_fails_alone(browser: Browser) -> None:
    browser.start()
    done = threading.Event()

    def hunt() -> None:
        while not done.is_set():
            kill_renderers(browser.pids)
            time.sleep(0.02)

    hunter = threading.Thread(target=hunt)
    hunter.start()
    try:
        with pytest.raises((RenderFailure, BrowserUnusableError)) as failure:
            render_with(browser, "<p>x", wait=NEVER)
    finally:
        done.set()
        hunter.join()

    # The hunter may also kill the pages of a browser that is still starting.
    if isinstance(failure.value, RenderFailure):
        assert failure.value.code in {"render_failed", "render_timeout"}
    assert render_with(browser, "<p>x").files[0].pages == 1


def test_browser_is_recycled_after_its_number_of_renders() -> None:
    browser = new_browser(renders_per_process=3)
    try:
        homes = []
        for _ in range(5):
            render_with(browser, "<p>x")
            browser.prepare().result()
            homes.append(main_process(browser.pids))
        assert len(set(homes)) in {2, 3}
        # All but the browser in use have ended.
        eventually(lambda: len(alive(list(set(homes)))) == 1)
    finally:
        browser.close()


def test_browser_over_its_memory_limit_is_recycled_between_renders() -> None:
    browser = new_browser(recycle_memory_bytes=1)
    try:
        browser.start()
        old = browser.pids
        render_with(browser, "<p>x")
        browser.prepare().result()
        eventually(lambda: alive(old) == [])
    finally:
        browser.close()


@pytest.mark.parametrize("end", ["never yields", "is killed"])
def test_next_render_uses_the_standby_browser(browser: Browser, end: str) -> None:
    render_with(browser, "<p>x")
    eventually(lambda: len(browser.processes) == 2)
    lost, standing_by = browser.processes

    if end == "is killed":
        os.kill(lost.pid, signal.SIGKILL)
    else:
        with pytest.raises(RenderFailure, match=r"wait\.timeout_ms"):
            render_with(browser, "<script>for (;;);</script>", wait={"timeout_ms": 300})

    assert render_with(browser, "<p>x").files[0].pages == 1
    assert browser.processes[0] is standing_by
    eventually(lambda: alive(lost.pids()) == [])
    eventually(lambda: len(browser.processes) == 2)


def test_sandbox_is_off_only_when_disabled() -> None:
    browser = new_browser(sandbox=False, walls=Walls(may_miss=True))
    try:
        assert render_with(browser, "<p>x").files[0].pages == 1
        assert b"--no-sandbox" in command_of(main_process(browser.pids))
    finally:
        browser.close()


def test_browser_without_a_sandbox_is_ended_where_workspaces_share_it() -> None:
    browser = new_browser(sandbox=False)

    with pytest.raises(WallsMissingError, match="browser_sandbox"):
        render_with(browser, "<p>x")
    browser.close()


def test_browser_ends_when_its_owner_is_killed() -> None:
    script = (
        "import sys, time; sys.path.insert(0, sys.argv[1])\n"
        "from tests.builders.pages.real_browser import new_browser\n"
        "browser = new_browser(); browser.start(); print(*browser.pids, flush=True); time.sleep(99)"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", script, str(ROOT)], stdout=subprocess.PIPE, text=True
    )
    assert owner.stdout is not None
    pids = [int(word) for word in owner.stdout.readline().split()]
    assert len(alive(pids)) > 3

    owner.kill()
    owner.wait()
    owner.stdout.close()

    eventually(lambda: alive(pids) == [])


def test_home_of_a_browser_whose_supervisor_was_killed_is_removed_at_the_next_start(
    browser: Browser, own_tmp: Path
) -> None:
    gone = subprocess.Popen(["/bin/true"])
    gone.wait()
    orphan = own_tmp / f"platen-browser-{gone.pid}-0123456789abcdef"
    (orphan / "profile").mkdir(parents=True)

    browser.start()

    assert not orphan.exists()
    assert len(list(own_tmp.glob(f"platen-browser-{os.getpid()}-*"))) == 1


def test_missing_installation_names_the_install_command(tmp_path: Path) -> None:
    browser = Browser(tmp_path, folder("PLATEN_FONTS_DIR", "fonts"))

    with pytest.raises(BrowserMissingError, match="make setup"):
        browser.start()


def test_a_browser_without_fonts_is_refused_at_its_start(own_tmp: Path) -> None:
    fonts = own_tmp / "fonts"
    fonts.mkdir(mode=0o755)
    for name in ("fonts.conf", "families.json", "characters.json"):
        (fonts / name).write_text("<fontconfig></fontconfig>", encoding="utf-8")
    browser = Browser(folder("PLATEN_CHROMIUM_DIR", "chromium"), fonts)

    with pytest.raises(BrowserUnusableError, match="fonts"):
        browser.start()
    browser.close()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives up its rights")
def test_unreadable_checkout_is_copied_once(own_tmp: Path) -> None:
    hidden = own_tmp / "hidden"
    hidden.mkdir(mode=0o700)
    fonts = shutil.copytree(folder("PLATEN_FONTS_DIR", "fonts"), hidden / "fonts")
    for _ in range(2):
        browser = Browser(folder("PLATEN_CHROMIUM_DIR", "chromium"), fonts)
        try:
            assert render_with(browser, "<p>x").files[0].pages == 1
        finally:
            browser.close()

    assert len(list(own_tmp.glob("platen-0/fonts-*/"))) == 1
