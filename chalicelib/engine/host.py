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
        """Start both; returns when the first document can be made.

        Raises BrowserUnusable or BrowserMissing, saying what is wrong with the installation.
        """
        coming = self._browser.prepare()
        self._templates.start()
        # While both come up, load what the first PDF would wait for.
        importlib.import_module("pikepdf")
        coming.result()

    def run(self, job: Job) -> Outcome:
        """Make the files of a job; raises RenderFailure with the code of what went wrong."""
        return pipeline.run(job, browser=self._browser, templates=self._templates)
