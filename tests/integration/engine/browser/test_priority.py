"""Priority of the browser: lowered only while it prepares pages."""

import os
from pathlib import Path

from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.deadline import Deadline


def test_browser_lowers_its_priority_only_while_it_prepares_pages(browser: Browser) -> None:
    browser.start()
    deadline = Deadline.after(60)

    def while_used(_: BrowserPage) -> set[str]:
        found = niceness_of(browser)
        # As for headers and footers, which the document waits for.
        browser.prepare().result()
        return found | niceness_of(browser)

    # Only root may raise the priority again, so only root lowers it.
    lowered = {"10"} if os.geteuid() == 0 else {"0"}
    assert niceness_of(browser) <= {"0"}
    assert browser.use(while_used, deadline) <= {"0"}
    browser.use(lambda _: None, deadline)
    browser.prepare().result()
    assert niceness_of(browser) <= lowered
    assert browser.use(while_used, deadline) <= {"0"}


def niceness_of(browser: Browser) -> set[str]:
    """Return the niceness of the browser's autogroup; empty where the kernel has none."""
    group = Path(f"/proc/{browser.processes[0].pid}/autogroup")
    return {group.read_text(encoding="ascii").split()[-1]} if group.exists() else set()
