"""Confined processes of PDF tools that all tests of a session share, and validators."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, tool_worker
from chalicelib.engine.ports import NoEgress
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from chalicelib.engine.templating.worker import TemplateWorker
from infra.operator import run_pdf_tool
from infra.setup.steps import INSTALL_DIR
from tests.builders.operator import OperatorTool
from tests.builders.pdfs.plain import pdf
from tests.fakes import small_tool_process

_FONTS = str(INSTALL_DIR / "fonts")


@pytest.fixture(scope="session")
def worker() -> Iterator[SandboxedWorker]:
    worker = tool_worker(_FONTS)
    yield worker
    worker.close()


@pytest.fixture(scope="session")
def engine(worker: SandboxedWorker, templates: TemplateWorker) -> PdfToolEngine:
    """Give the engine of most tests."""
    return _engine(worker, templates)


@pytest.fixture(scope="session")
def small_engine(templates: TemplateWorker) -> Iterator[PdfToolEngine]:
    """Give an engine whose process has little memory."""
    module = small_tool_process.__name__
    worker = SandboxedWorker(module, "The PDF tool", arguments=[_FONTS], forks=True)
    yield _engine(worker, templates)
    worker.close()


def _engine(worker: SandboxedWorker, templates: TemplateWorker) -> PdfToolEngine:
    return PdfToolEngine(NoEgress(), worker, templates)


@pytest.fixture(scope="session")
def judge() -> Iterator[LocalValidator]:
    judge = LocalValidator(INSTALL_DIR / "validators")
    yield judge
    judge.close()


@pytest.fixture
def cold_tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OperatorTool:
    """Give the operator tool in a folder with some files; each command starts what it needs."""
    monkeypatch.chdir(tmp_path)
    Path("form.pdf").write_bytes(pdf(3, field="name"))
    Path("other.pdf").write_bytes(pdf(2))
    Path("locked.pdf").write_bytes(pdf(2, password="right"))
    Path("broken.pdf").write_bytes(pdf()[:200])
    Path("note.txt").write_text("A note", encoding="utf-8")
    return OperatorTool(tmp_path, monkeypatch)


@pytest.fixture
def tool(
    cold_tool: OperatorTool,
    worker: SandboxedWorker,
    judge: LocalValidator,
    monkeypatch: pytest.MonkeyPatch,
) -> OperatorTool:
    """Give the operator tool with processes that have started already and go on after it."""
    monkeypatch.setattr(run_pdf_tool, "tool_worker", _kept_or_made(worker, tool_worker))
    monkeypatch.setattr(run_pdf_tool, "LocalValidator", _kept_or_made(judge, LocalValidator))
    return cold_tool


class _Kept:
    """A worker or validator that its user cannot close."""

    def __init__(self, kept: Any) -> None:
        self._kept = kept

    def __getattr__(self, name: str) -> Any:
        return getattr(self._kept, name)

    def close(self) -> None: ...


def _kept_or_made(kept: Any, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what gives the kept one for the parts of this machine, and makes one for others."""
    return lambda folder: _Kept(kept) if INSTALL_DIR in Path(folder).parents else make(folder)
