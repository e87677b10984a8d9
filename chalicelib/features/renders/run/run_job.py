"""Running of a job by the function of its kind."""

from copy import replace

from chalicelib.adapters.aws.remote_engine import EngineCallContext, RemoteEngine
from chalicelib.engine.job import Job, MarkJob, PdfToolJob, RenderOutcome


class RunJob:
    """Runner of jobs; raises as the methods of RemoteEngine do."""

    def __init__(self, engine: RemoteEngine, pdf_tools: RemoteEngine) -> None:
        """Run PDF tools by `pdf_tools`, all else by `engine`."""
        self._engine = engine
        self._pdf_tools = pdf_tools

    def __call__(self, job: Job, context: EngineCallContext) -> RenderOutcome:
        """Make the files of a job."""
        if not isinstance(job, PdfToolJob):
            return self._engine.run(job, context)
        mark = job.options.mark
        if mark is None:
            return self._pdf_tools.run(job, context)
        # Only the engine has a browser, which prints the text or picture.
        printed = self._engine.run(MarkJob(mark, f"/{job.options.tool}"), context)
        marked = replace(job, mark=printed.files[0].content)
        return self._pdf_tools.run(marked, context).with_trace_before(printed.trace)
