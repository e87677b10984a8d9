"""Failures of the process that finishes files are reported precisely."""

import logging
import subprocess
from copy import replace
from typing import Any

import pytest

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.finishing.separate_prints import SeparatePrint
from chalicelib.engine.formats.finish_file import FinishingError, finish_file
from chalicelib.engine.formats.pdf import PDF
from chalicelib.engine.render_trace import TraceRecorder

APART = replace(PDF, is_slow=lambda _content, _finishing: True)


def finish(content: bytes) -> None:
    def print_separately(part: SeparatePrint) -> list[bytes]:
        raise AssertionError(part)

    output = OutputOptions.from_json({"pdf": {"metadata": {"title": "T"}}})
    context = FinishingContext(
        output, {}, test=False, recorder=TraceRecorder(), print_separately=print_separately
    )
    finish_file(APART, content, context, Deadline.after(60))


def test_finishing_error_is_not_out_of_memory_and_hides_the_document(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(FinishingError) as fault:
        finish(b"SECRET, not a PDF")

    (record,) = caplog.records
    logged = record.__dict__["exception"]
    assert logged == str(fault.value)
    assert logged.endswith("Error")
    assert "in finish_pdf" in logged
    assert "SECRET" not in logged


def test_a_process_that_cannot_be_started_fails_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any, **__: Any) -> None:
        raise BlockingIOError

    monkeypatch.setattr(subprocess, "Popen", none)

    with pytest.raises(RenderFailure, match="too much memory") as failure:
        finish(b"%PDF-1.4")

    assert failure.value.code == "render_failed"
