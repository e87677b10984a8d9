"""Strange documents through every tool: a result, or a refusal that says why, in bounds."""

import io
from typing import Final

import pikepdf
import pytest

from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import RenderTrace
from chalicelib.engine.job import RenderOutcome
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine
from tests.builders.pdfs.requests import TOOL_OPTIONS
from tests.builders.pdfs.strange import KINDS, SWOLLEN
from tests.builders.processor_time import children_s
from tests.fakes import small_tool_process
from tests.integration.pdf_tools.test_confined_tools import run

pytestmark = pytest.mark.integration

_CODES: Final = {
    *("invalid_pdf_source", "validation_error", "pdfa_conversion_failed"),
    *("pdf_password_required", "page_limit_exceeded"),
}
_MAX_S: Final = 30.0
_MAX_CHARACTERS: Final = 500
_MAX_WARNINGS: Final = 50


def check_texts(trace: RenderTrace) -> None:
    texts = [text for each in trace.warnings for text in (each.message, each.detail or "")]
    assert len(trace.warnings) <= _MAX_WARNINGS
    assert max(map(len, texts), default=0) <= _MAX_CHARACTERS
    assert all(text.isprintable() for text in texts), texts


def check_refusal(refusal: RenderFailure) -> None:
    assert refusal.code in _CODES, refusal.detail
    assert refusal.detail.startswith("/")
    assert refusal.detail.isprintable()
    assert len(refusal.detail) <= _MAX_CHARACTERS
    check_texts(refusal.members["trace"])


def check_outcome(outcome: RenderOutcome, password: str) -> None:
    check_texts(outcome.trace)
    for file in outcome.files:
        if file.format == "pdf":
            with pikepdf.open(io.BytesIO(file.content), password=password) as document:
                assert len(document.pages) == file.pages


@pytest.mark.parametrize("kind", KINDS)
def test_every_tool_works_on_a_strange_document_or_says_why_not(
    engine: PdfToolEngine, kind: str
) -> None:
    try_every_tool(engine, KINDS[kind]())


@pytest.mark.parametrize("kind", SWOLLEN)
def test_every_tool_works_on_a_swollen_document_or_says_why_not(
    small_engine: PdfToolEngine, kind: str
) -> None:
    made_of, size = SWOLLEN[kind]

    try_every_tool(small_engine, made_of(size // small_tool_process.SHARE))


def try_every_tool(engine: PdfToolEngine, content: bytes) -> None:
    for tool in TOOL_OPTIONS:
        before_s = children_s()
        made: RenderOutcome | RenderFailure
        try:
            made = run(engine, tool, content)
        except RenderFailure as refusal:
            made = refusal
        if isinstance(made, RenderFailure):
            check_refusal(made)
        else:
            check_outcome(made, "secret" if tool == "protect" else "")
        assert children_s() - before_s < _MAX_S, tool
    assert run(engine, "rotate").files
