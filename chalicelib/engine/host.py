"""One engine a process: its browser and its template process, warm from one job to the next."""

import importlib
from collections.abc import Callable
from pathlib import Path

from chalicelib.engine import pipeline
from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.job import Job, Outcome
from chalicelib.engine.templating.worker import TemplateWorker


class Engine:
    """Makes documents, one at a time."""

    def __init__(
        self,
        chromium_dir: str,
        fonts_dir: str,
        *,
        sandbox: bool,
        recycled: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """Start nothing yet; `sandbox=False` only where the platform itself is the sandbox.

        `recycled` learns why a browser was ended.
        """
        self._browser = Browser(
            Path(chromium_dir), Path(fonts_dir), sandbox=sandbox, recycled=recycled
        )
        self._templates = TemplateWorker()

    def start(self) -> None:
        """Start the browser and return at once: the rest can be imported meanwhile."""
        self._browser.prepare()

    def load(self) -> None:
        """Have ready what no page waits for; to be called by a thread that lasts."""
        importlib.import_module("pikepdf")
        self._templates.start()

    def wait(self) -> None:
        """Return when the first page can be made.

        Raises BrowserMissing or BrowserUnusable, saying what is wrong with the installation.
        """
        self._browser.start()

    def run(self, job: Job) -> Outcome:
        """Make the files of a job; raises RenderFailure with the code of what went wrong."""
        return pipeline.run(job, browser=self._browser, templates=self._templates)
