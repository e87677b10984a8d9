"""One engine a process: its browser and its template process, warm from one job to the next."""

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from chalicelib.engine.browser.lifecycle import Browser
from chalicelib.engine.templating.worker import TemplateWorker

if TYPE_CHECKING:
    from chalicelib.core.errors import RenderFailure
    from chalicelib.engine.job import Job, Outcome
    from chalicelib.engine.outside import Outside


class Engine:
    """Makes documents, one at a time."""

    def __init__(
        self,
        chromium_dir: str,
        fonts_dir: str,
        *,
        sandbox: bool,
        outside: "Outside",
        authorities: str = "",
        recycled: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """Start nothing yet; `sandbox=False` only where the platform itself is the sandbox.

        `outside` is the engine's only way to other machines; `authorities` is a PEM file of whom
        pages trust beside the browser's own; `recycled` learns why a browser was ended.
        """
        self._browser = Browser(
            Path(chromium_dir),
            Path(fonts_dir),
            outside=outside,
            authorities=Path(authorities) if authorities else None,
            sandbox=sandbox,
            recycled=recycled,
        )
        self._templates = TemplateWorker()
        self._outside = outside

    def start(self) -> None:
        """Start the browser and return at once: the rest can be imported meanwhile."""
        self._browser.prepare()

    def load(self) -> None:
        """Import what finishes files; a file that is to be finished sooner has it imported."""
        importlib.import_module("pikepdf")

    def start_templates(self) -> None:
        """Start the template process; to be called by a thread that lasts as long.

        A document with templates does not need it: it starts the process itself.
        """
        self._templates.start()

    def wait(self) -> None:
        """Return when the first page can be made.

        Raises BrowserMissing or BrowserUnusable, saying what is wrong with the installation.
        """
        importlib.import_module("chalicelib.engine.pipeline")
        self._browser.start()

    def run(self, job: "Job") -> "Outcome":
        """Make the files of a job; raises RenderFailure with the code of what went wrong."""
        # Not before the browser is started, which does not need it.
        from chalicelib.engine import pipeline  # noqa: PLC0415

        parts = pipeline.Parts(self._browser, self._templates, self._outside)
        with self._templates.until(job.stopped):
            return pipeline.run(job, parts)

    def lint(self, job: "Job") -> "list[RenderFailure]":
        """Run the templates of a job, and return what each would be failed for."""
        from chalicelib.engine.linting import faults_of  # noqa: PLC0415 -- as above

        return faults_of(job, self._templates, self._outside)
