"""One engine a process: its browser and its template process, warm from one job to the next."""

import ctypes
import importlib
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.templating.worker import TemplateWorker

if TYPE_CHECKING:
    from chalicelib.core.errors import RenderFailure
    from chalicelib.engine.job import Job, RenderOutcome
    from chalicelib.engine.ports import Egress


class RenderEngine:
    """Makes documents, one at a time."""

    def __init__(
        self,
        chromium_dir: str,
        fonts_dir: str,
        *,
        sandbox: bool,
        egress: "Egress",
        authorities: str = "",
        on_recycle: Callable[[str], None] = lambda _why: None,
    ) -> None:
        """Start nothing yet; `sandbox=False` only where the platform itself is the sandbox.

        `outside` is the engine's only way to other machines; `authorities` is a PEM file of whom
        pages trust beside the browser's own; `recycled` learns why a browser was ended.
        """
        self._browser = Browser(
            Path(chromium_dir),
            Path(fonts_dir),
            egress=egress,
            ca_bundle=Path(authorities) if authorities else None,
            sandbox=sandbox,
            on_recycle=on_recycle,
        )
        self._templates = TemplateWorker()
        self._egress = egress

    def start_browser(self) -> None:
        """Start the browser and return at once: the rest can be imported meanwhile."""
        self._browser.prepare()

    def load_finishing(self) -> None:
        """Import what finishes files; a file that is to be finished sooner has it imported."""
        importlib.import_module("pikepdf")

    def start_templates(self) -> None:
        """Start the template process; to be called by a thread that lasts as long.

        A document with templates does not need it: it starts the process itself.
        """
        self._templates.start()

    def wait_until_ready(self) -> None:
        """Return when the first page can be made.

        Raises BrowserMissing or BrowserUnusable, saying what is wrong with the installation.
        """
        importlib.import_module("chalicelib.engine.pipeline")
        self._browser.start()

    def run(self, job: "Job") -> "RenderOutcome":
        """Make the files of a job; raises RenderFailure with the code of what went wrong."""
        # Not before the browser is started, which does not need it.
        from chalicelib.engine import pipeline  # noqa: PLC0415

        parts = pipeline.PipelineServices(self._browser, self._templates, self._egress)
        with self._templates.cancel_on(job.cancellation):
            return pipeline.run_job(job, parts)

    def lint(self, job: "Job") -> "list[RenderFailure]":
        """Run the templates of a job, and return what each would be failed for."""
        from chalicelib.engine.lint import template_faults  # noqa: PLC0415 -- as above

        return template_faults(job, self._templates, self._egress)


_PR_SET_DUMPABLE: Final = 4


def make_undumpable() -> None:
    """Let no other process of this user read this one's environment and memory, or trace it.

    Where the platform is the sandbox, as on Lambda, a page's process that broke out of the browser
    is such a process; the credentials of the function are in its environment.
    """
    ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
