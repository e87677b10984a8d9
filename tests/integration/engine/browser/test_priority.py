"""The browser gives way to others while it makes pages ahead, and only then."""

import os
from pathlib import Path

from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.deadline import Deadline


def test_a_browser_gives_way_only_to_make_pages_ahead(browser: Browser) -> None:
    browser.start()
    deadline = Deadline.after(60)

    def while_used(_: BrowserPage) -> set[str]:
        found = niceness_of(browser)
        # As it is for headers and footers, which the document waits for.
        browser.prepare().result()
        return found | niceness_of(browser)

    # Others than root may not say so.
    back = {"10"} if os.geteuid() == 0 else {"0"}
    assert niceness_of(browser) <= {"0"}
    assert browser.use(while_used, deadline) <= {"0"}
    browser.use(lambda _: None, deadline)
    browser.prepare().result()
    assert niceness_of(browser) <= back
    assert browser.use(while_used, deadline) <= {"0"}


def niceness_of(browser: Browser) -> set[str]:
    """Return what the group of all its processes has; nothing where the kernel has no groups."""
    group = Path(f"/proc/{browser.processes[0].pid}/autogroup")
    return {group.read_text(encoding="ascii").split()[-1]} if group.exists() else set()
