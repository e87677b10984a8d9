"""Runner of MarkJob: the text or picture that a PDF tool draws, printed by the browser."""

from functools import partial

from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.context import JobContext, RenderedFile
from chalicelib.engine.finishing.separate_prints import print_watermark_page
from chalicelib.engine.inputs.fetch import load_contents
from chalicelib.engine.job import MarkJob, RenderOutcome
from chalicelib.engine.ports import Egress
from chalicelib.engine.render_trace import TraceRecorder


def run_mark_job(
    job: MarkJob, context: JobContext, browser: Browser, egress: Egress
) -> RenderOutcome:
    """Return a PDF of one page with the mark alone; raises RenderFailure.

    The failure's member `trace` is the RenderTrace up to it.
    """
    recorder, is_cold_start = TraceRecorder(), not browser.is_warm
    with recorder.attach_trace_to_failure():
        mark = job.mark
        if mark.image is not None and mark.font_size is not None:
            field = f"{job.pointer[1:]}.font_size"
            message = f"{field} is of no use to a picture and was ignored"
            recorder.warn("feature_unavailable", message, field)
        with recorder.stage("load_ms"):
            image = {} if mark.image is None else {mark.image: f"{job.pointer}/image"}
            resources = load_contents(image, context, egress)
        with recorder.stage("print_ms"):
            work = partial(print_watermark_page, watermark=mark, resources=resources, language="")
            try:
                printed = browser.use(work, context.time_limit, context.lane)
            finally:
                browser.prepare()
    file = RenderedFile("pdf", printed, "application/pdf", pages=1)
    return RenderOutcome((file,), recorder.trace(), is_cold_start)
