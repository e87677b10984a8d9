"""Render engine: one per process, its browser and template process stay warm between jobs."""

import ctypes
import importlib
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.sandbox.walls import NOT_DUMPABLE, Walls
from chalicelib.engine.templating.worker import TemplateWorker

if TYPE_CHECKING:
    from chalicelib.core.errors import RenderFailure
    from chalicelib.engine.context import JobContext
    from chalicelib.engine.deadline import Deadline
    from chalicelib.engine.delivery.emails import RenderedEmail
    from chalicelib.engine.job import EngineJob, LintOutcome, PageJob, RenderOutcome
    from chalicelib.engine.ports import Egress


_PR_SET_DUMPABLE: Final = 4


class RenderEngine:
    """Engine that makes documents, one at a time."""

    def __init__(  # noqa: PLR0913 -- each is a setting of its own
        self,
        chromium_dir: str,
        fonts_dir: str,
        *,
        sandbox: bool,
        egress: "Egress",
        authorities: str = "",
        on_recycle: Callable[[str], None] = lambda _why: None,
        walls: Walls | None = None,
    ) -> None:
        """Prepare without starting a process.

        `sandbox=False` only where the platform itself is the sandbox. `egress` is the engine's only
        way to other machines. `authorities` is a PEM file of certificate authorities that pages
        trust besides the browser's own. `on_recycle` gets the reason why a browser was ended.
        `walls` admits processes that lack some; without it none may be missing.
        """
        self._walls = walls or Walls()
        self._browser = Browser(
            Path(chromium_dir),
            Path(fonts_dir),
            egress=egress,
            ca_bundle=Path(authorities) if authorities else None,
            sandbox=sandbox,
            on_recycle=on_recycle,
            walls=self._walls,
        )
        self._templates = TemplateWorker(walls=self._walls)
        self._egress = egress

    def start_browser(self) -> None:
        """Start the browser; return at once, so that imports can run meanwhile (decision 7)."""
        self._browser.prepare()

    def load_finishing(self) -> None:
        """Import the finishing library ahead of the first file that needs it."""
        importlib.import_module("pikepdf")

    def start_templates(self) -> None:
        """Start the template process ahead; the calling thread must outlive it.

        Optional: a document with templates starts the process itself.
        """
        self._templates.start()

    def wait_until_ready(self) -> None:
        """Wait until the first page can be made.

        Raises BrowserMissingError or BrowserUnusableError where the installation is broken.
        """
        importlib.import_module("chalicelib.engine.pipeline")
        self._browser.start()

    def missing_walls(self, deadline: "Deadline") -> tuple[str, ...]:
        """Return the walls that the processes of this engine lack, once each kind has started.

        Raises RenderFailure `render_timeout`.
        """
        self._browser.start()
        self._templates.prove_walls(time.time() + deadline.remaining_s())
        return self._walls.missing

    def run(self, job: "EngineJob", context: "JobContext") -> "RenderOutcome":
        """Make the files of a job; raises RenderFailure."""
        # Imported late: the browser starts first and does not need them.
        from chalicelib.engine.job import InvoiceJob, MarkJob  # noqa: PLC0415

        if isinstance(job, InvoiceJob):
            from chalicelib.engine.run_invoice_job import run_invoice_job  # noqa: PLC0415

            outcome = run_invoice_job(job, context)
            if job.storage is None:
                return outcome
            from chalicelib.engine.storage_paths import render_storage_paths  # noqa: PLC0415

            with self._templates.cancel_on(context.cancellation):
                paths = render_storage_paths(
                    job, context, self._templates, outcome.files, outcome.filename
                )
            return outcome._replace(storage_paths=paths)
        if isinstance(job, MarkJob):
            from chalicelib.engine.run_mark_job import run_mark_job  # noqa: PLC0415

            return run_mark_job(job, context, self._browser, self._egress)
        from chalicelib.engine import pipeline  # noqa: PLC0415

        services = pipeline.PipelineServices(self._browser, self._templates, self._egress)
        with self._templates.cancel_on(context.cancellation):
            return pipeline.run_page_job(job, context, services)

    def lint(
        self, job: "PageJob", context: "JobContext", *, compile_only: bool = False
    ) -> "LintOutcome":
        """Run the templates of a job and show its page offline, or compile them."""
        if compile_only:
            from chalicelib.engine.lint import compile_faults  # noqa: PLC0415 -- as above

            return compile_faults(job, context, self._templates)
        from chalicelib.engine.pipeline import PipelineServices  # noqa: PLC0415 -- as above
        from chalicelib.engine.preflight import preflight_page  # noqa: PLC0415 -- as above

        services = PipelineServices(self._browser, self._templates, self._egress)
        with self._templates.cancel_on(context.cancellation):
            return preflight_page(job, context, services)

    def look_up(
        self, addresses: Mapping[str, str], deadline: "Deadline", *, https_only: Sequence[str]
    ) -> dict[str, str]:
        """Return why addresses are refused, by their names; nothing is sent to them."""
        from chalicelib.engine.preflight import look_up  # noqa: PLC0415 -- as above

        return look_up(addresses, self._egress, deadline, https_only=https_only)

    def preview_emails(self, job: "PageJob", context: "JobContext") -> "tuple[RenderedEmail, ...]":
        """Run the email rules of a job without drawing; return the emails."""
        from chalicelib.engine.emails.job_emails import preview_emails  # noqa: PLC0415 -- as above

        with self._templates.cancel_on(context.cancellation):
            return preview_emails(job, context, self._templates, self._egress)

    def check_syntax(self, texts: Mapping[str, str], deadline: "Deadline") -> "list[RenderFailure]":
        """Compile templates without running them; return their failures."""
        from chalicelib.engine.lint import syntax_faults  # noqa: PLC0415 -- as above

        return syntax_faults(texts, self._templates, time.time() + deadline.remaining_s())


def make_undumpable(walls: Walls) -> None:
    """Forbid other processes of this user to trace this one or read its memory and environment.

    Where the platform is the sandbox, as on Lambda, a page's process that broke out of the browser
    is such a process. Raises WallsMissingError.
    """
    is_refused = ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0
    walls.admit("engine", [NOT_DUMPABLE] if is_refused else [])
