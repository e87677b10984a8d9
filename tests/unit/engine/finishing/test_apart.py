"""What goes wrong in the process in which files are finished is told as what it is."""

import logging
import subprocess
from collections.abc import Callable
from copy import replace
from typing import Any

import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page import Page
from chalicelib.engine.course import Course
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.finishing.apart import FinishingError, finished
from chalicelib.engine.formats.format import Finishing
from chalicelib.engine.formats.pdf import PDF
from chalicelib.engine.options.output import Output

APART = replace(PDF, lengthy=lambda _content, _finishing: True)


def finish(content: bytes) -> None:
    def no_page[Result](work: Callable[[Page], Result]) -> Result:
        raise AssertionError(work)

    output = Output.from_json({"pdf": {"metadata": {"title": "T"}}})
    facts = Finishing(output, {}, test=False, course=Course(), fresh_page=no_page)
    finished(APART, content, facts, Deadline.after(60))


def test_a_fault_is_no_lack_of_memory_and_says_nothing_of_the_document(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR), pytest.raises(FinishingError) as fault:
        finish(b"SECRET, not a PDF")

    (record,) = caplog.records
    told = record.__dict__["exception"]
    assert told == str(fault.value)
    assert told.endswith("Error")
    assert "in finish_pdf" in told
    assert "SECRET" not in told


def test_a_process_that_cannot_be_started_fails_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any, **__: Any) -> None:
        raise BlockingIOError

    monkeypatch.setattr(subprocess, "Popen", none)

    with pytest.raises(RenderFailure, match="too much memory") as failure:
        finish(b"%PDF-1.4")

    assert failure.value.code == "render_failed"
