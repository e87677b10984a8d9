"""Walls of the PDF tools' processes: one loads libraries, its child alone reads a document."""

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

import psutil
import pytest

from chalicelib.contract.options.pdf_tools import PdfSource, ToImagesOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext
from chalicelib.engine.job import PdfToolJob
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, tool_worker
from chalicelib.engine.ports import NoEgress
from chalicelib.engine.templating.worker import TemplateWorker
from infra.setup.steps import INSTALL_DIR
from tests.builders.pdfs.plain import as_source, pdf
from tests.builders.waiting import eventually, generous_deadline

pytestmark = pytest.mark.integration

SECRET: Final = "a-credential-of-the-function"
# More processor time than a child needs that draws nothing.
_WORK_S: Final = 0.3
AS_ROOT: Final = os.geteuid() == 0


def status_of(pid: int) -> dict[str, str]:
    text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    lines = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in lines}


@pytest.fixture
def processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[psutil.Process, psutil.Process]]:
    """Return the process and its child, which draws pages; their owner has a secret to inherit."""
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    path = tmp_path / "open"
    path.write_text(SECRET, encoding="utf-8")
    source = PdfSource(content=as_source(pdf(9, size=(2500, 2500)))["content"])
    job = PdfToolJob(ToImagesOptions(dpi=300), (source,), 9)
    cancellation: Future[None] = Future()
    context = JobContext(generous_deadline(), lambda _id: b"", cancellation=cancellation)
    before = set(psutil.Process().children())
    engine = PdfToolEngine(NoEgress(), tool_worker(str(INSTALL_DIR / "fonts")), TemplateWorker())
    with path.open("rb") as file, ThreadPoolExecutor(1) as pool, closing(engine):
        os.set_inheritable(file.fileno(), True)  # noqa: FBT003 -- as it is called
        engine.start()
        (process,) = set(psutil.Process().children()) - before
        drawing = pool.submit(engine.run, job, context)
        try:
            yield process, _child_at_work(process)
        finally:
            cancellation.set_result(None)
            assert isinstance(drawing.exception(), RenderFailure)


def _child_at_work(process: psutil.Process) -> psutil.Process:
    def working() -> psutil.Process | None:
        # The first child only tells the walls, and ends at once.
        for child in process.children():
            with suppress(psutil.NoSuchProcess):
                if child.cpu_times().user > _WORK_S:
                    return child
        return None

    return eventually(working)


def test_child_that_reads_a_document_is_confined(
    processes: tuple[psutil.Process, psutil.Process],
) -> None:
    _, child = processes
    status = status_of(child.pid)

    assert (status["Seccomp"], status["NoNewPrivs"]) == ("2", "1")
    limits = Path(f"/proc/{child.pid}/limits").read_text(encoding="utf-8")
    for name in ("Max open files", "Max file size", "Max processes"):
        (line,) = [line for line in limits.splitlines() if line.startswith(name)]
        assert line.removeprefix(name).split()[:2] == ["0", "0"], line
    assert "Max address space         unlimited" not in limits
    if AS_ROOT:
        assert "0" not in status["Uid"].split()


def test_neither_process_has_more_than_its_pipes_and_the_fonts(
    processes: tuple[psutil.Process, psutil.Process],
) -> None:
    for process in processes:
        if not AS_ROOT and process is processes[1]:
            # It is not dumpable: only root looks into it.
            continue
        assert set(process.environ()) == {"PYTHONPATH"}
        files = {
            path.name: str(path.readlink()) for path in Path(f"/proc/{process.pid}/fd").iterdir()
        }
        # qpdf keeps its source of randomness open; the process tells when a child has ended.
        others = [target for name, target in files.items() if name not in {"0", "1", "2"}]
        pipes = [target for target in others if target.startswith("pipe:")]
        assert len(pipes) == (process is processes[0])
        assert set(others) - set(pipes) <= {"/dev/urandom"}
        assert files.keys() >= {"0", "1", "2"}
        assert files["2"] == "/dev/null"
