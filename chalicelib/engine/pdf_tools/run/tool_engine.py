"""Engine of PDF tools: one per process; a confined process waits for the next request."""

import logging
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.core.json import JsonObject
from chalicelib.engine.conformance.checks import ValidationRequest
from chalicelib.engine.context import JobContext
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.job import PdfToolJob, RenderOutcome
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf.fonts.font_files import check_fonts
from chalicelib.engine.pdf_tools.run.exchange import StrangeAnswerError, ToolAnswer, ToolRequest
from chalicelib.engine.pdf_tools.run.load_contents import load_contents
from chalicelib.engine.pdf_tools.tool import MARK, ToolInput, ToolOutput
from chalicelib.engine.ports import Egress
from chalicelib.engine.render_trace import TraceRecorder
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from chalicelib.engine.sandbox.walls import Walls
from chalicelib.engine.storage_paths import render_storage_paths
from chalicelib.engine.templating.worker import TemplateWorker

log = logging.getLogger(__name__)

_WORKER_MODULE: Final = "chalicelib.engine.pdf_tools.run.worker"


class ToolFaultError(Exception):
    """Exception in the confined process, or an answer that no tool gives."""


def tool_worker(fonts_dir: str, walls: Walls | None = None) -> SandboxedWorker:
    """Return the worker of requests; `fonts_dir` has the bundled fonts.

    `walls` admits processes that lack some. Raises FontsMissingError.
    """
    check_fonts(Path(fonts_dir))
    return SandboxedWorker(
        _WORKER_MODULE, "The PDF tool", walls=walls, arguments=[fonts_dir], forks=True
    )


class PdfToolEngine:
    """Engine that runs PDF tools, one at a time."""

    def __init__(self, egress: Egress, worker: SandboxedWorker, templates: TemplateWorker) -> None:
        """Prepare without starting a process.

        `worker` runs requests, see `tool_worker`; `templates` run the paths of storage targets.
        """
        self._egress = egress
        self._worker = worker
        self._templates = templates
        self._is_warm = False

    def start(self) -> None:
        """Start the process of the first request; the calling thread must outlive it."""
        self._worker.start()

    def close(self) -> None:
        """End the processes."""
        self._worker.close()
        self._templates.close()

    def run(self, job: PdfToolJob, context: JobContext) -> RenderOutcome:
        """Make the files of a job; raises RenderFailure.

        The failure's member `trace` is the RenderTrace up to it.
        """
        recorder, is_cold_start = TraceRecorder(), not self._is_warm
        self._is_warm = True
        with recorder.attach_trace_to_failure():
            with recorder.stage("load_ms"):
                contents = load_contents(job, context, self._egress)
            with recorder.stage("finish_ms"):
                answer = self._answer(self._tool_input(job, context, contents), context.time_limit)
                recorder.warnings += answer.render_warnings()
                output = _output(answer)
            with recorder.stage("template_ms"), self._templates.cancel_on(context.cancellation):
                paths = render_storage_paths(
                    job, context, self._templates, output.files, job.filename
                )
        return RenderOutcome(
            output.files,
            recorder.trace(),
            is_cold_start=is_cold_start,
            filename=job.filename,
            validation_requests=_validation_requests(output, contents),
            result=_result(output),
            storage_paths=paths,
        )

    def _tool_input(
        self, job: PdfToolJob, context: JobContext, contents: Mapping[str, bytes]
    ) -> ToolInput[ToolOptions]:
        sources = job.pdf_sources()
        resources = {name: contents[name] for name in job.options.resources}
        if job.mark is not None:
            resources[MARK] = job.mark
        return ToolInput(
            options=job.options,
            sources=tuple(
                UnopenedPdf(contents[pointer], source.password, pointer, job.names.get(pointer))
                for pointer, source in sources.items()
            ),
            resources=resources,
            test=context.test,
            max_pages=job.max_pages,
            filename=job.filename,
        )

    def _answer(self, tool_input: ToolInput[ToolOptions], deadline: Deadline) -> ToolAnswer:
        request, contents = ToolRequest.of(tool_input)
        pointer = tool_input.sources[0].pointer
        message = msgspec.to_builtins(request)
        ends_at = time.time() + deadline.remaining_s()
        try:
            with self._worker.cancel_on(deadline.cancellation):
                answer = self._worker.call(message, ends_at, contents)
            read = ToolAnswer.read(answer)
        except RenderFailure as failure:
            if failure.code == "render_timeout":
                raise timeout_failure() from failure
            # Every other failure means that the worker broke a limit or crashed.
            raise RenderFailure(
                "invalid_pdf_source",
                f"{pointer}: the file ends the process that works on it: it is damaged, or takes "
                "too much memory.",
            ) from failure
        except StrangeAnswerError as strange:
            raise ToolFaultError(str(strange)) from None
        if read.out_of_memory:
            raise RenderFailure(
                "invalid_pdf_source", f"{pointer}: the file takes too much memory to be worked on."
            )
        return read


def _output(answer: ToolAnswer) -> ToolOutput:
    """Return the output of an answer; raises its failure, or ToolFaultError."""
    fault = answer.short_fault()
    if fault is not None:
        log.error("a PDF tool failed", extra={"exception": fault})
        raise ToolFaultError(fault)
    try:
        failure = answer.render_failure()
        if failure is not None:
            raise failure
        return answer.output()
    except StrangeAnswerError as strange:
        raise ToolFaultError(str(strange)) from None


def _result(output: ToolOutput) -> JsonObject | None:
    """Return what the tool says of its documents."""
    said = output.description or output.comparison
    result: JsonObject | None = None if said is None else msgspec.to_builtins(said)
    return result


def _validation_requests(
    output: ToolOutput, contents: Mapping[str, bytes]
) -> tuple[ValidationRequest, ...]:
    return tuple(
        ValidationRequest(
            contents["/source"] if check.content is None else check.content,
            check.checks,
            own_findings=check.own_findings,
        )
        for check in output.checks
    )
