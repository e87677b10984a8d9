"""PDF tools in their confined process: every tool runs there, and no document harms the next."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, Final

import psutil
import pytest

from chalicelib.contract.pdf_tools import requests
from chalicelib.contract.pdf_tools.requests import tool_options, tool_sources
from chalicelib.contract.validation import read_part
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext
from chalicelib.engine.job import PdfToolJob, RenderOutcome
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine, tool_worker
from chalicelib.engine.ports import NoEgress
from chalicelib.engine.templating.worker import TemplateWorker
from infra.setup.steps import INSTALL_DIR
from tests.builders.pdfs import hostile
from tests.builders.pdfs.plain import as_source, pdf
from tests.builders.pdfs.requests import TOOL_FILES, TOOL_OPTIONS, tool_request
from tests.builders.processor_time import children_s
from tests.builders.waiting import PATIENCE_S, eventually, generous_deadline
from tests.fakes import small_tool_process
from tests.fakes.engine import mark_pdf

pytestmark = pytest.mark.integration

DOCUMENTS: Final[dict[str, Callable[[], bytes]]] = {
    "page_tree_loop": hostile.page_tree_loop,
    "own_parent": hostile.own_parent,
    "lying_count": hostile.lying_count,
    "lying_lengths": hostile.lying_lengths,
    "deep_nesting": hostile.deep_nesting,
    "cut_in_the_middle": hostile.cut_in_the_middle,
}
# What a document that is made to do harm may end with.
REFUSALS: Final = {"invalid_pdf_source", "validation_error", "pdfa_conversion_failed"}
FONTS: Final = str(INSTALL_DIR / "fonts")
_MAX_S: Final = 20.0


def job(tool: str, content: bytes | None = None, **more: Any) -> PdfToolJob:
    body = tool_request(tool, content, **more)
    model: Any = getattr(requests, f"{tool.title().replace('-', '')}Request")
    request = read_part(model, body, "")
    made = PdfToolJob(tool_options(tool, request), tool_sources(request), max_pages=2_000)
    has_mark = made.options.mark is not None
    return PdfToolJob(
        made.options, made.sources, made.max_pages, mark=mark_pdf() if has_mark else None
    )


def run(
    engine: PdfToolEngine,
    tool: str,
    content: bytes | None = None,
    *,
    timeout_s: float = PATIENCE_S,
    test: bool = False,
    **more: Any,
) -> RenderOutcome:
    context = JobContext(time.time() + timeout_s, uploads=lambda _id: b"", test=test)
    return engine.run(job(tool, content, **more), context)


def refusal_of(
    engine: PdfToolEngine, tool: str, content: bytes, **more: Any
) -> RenderFailure | None:
    try:
        run(engine, tool, content, **more)
    except RenderFailure as refusal:
        return refusal
    return None


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_each_tool_runs_without_files_and_processes(engine: PdfToolEngine, tool: str) -> None:
    for outcome in (run(engine, tool), run(engine, tool, test=True)):
        assert tuple(file.format for file in outcome.files) == TOOL_FILES[tool]


@pytest.mark.parametrize(
    ("tool", "more", "formats"),
    [
        ("split", {"every": 2, "zip": True}, ["zip"]),
        ("merge", {"bookmarks": True}, ["pdf"]),
        ("metadata", {"set": None}, []),
    ],
)
def test_options_that_take_another_way_run_there_too(
    engine: PdfToolEngine, tool: str, more: dict[str, Any], formats: list[str]
) -> None:
    for outcome in (run(engine, tool, **more), run(engine, tool, test=True, **more)):
        assert [file.format for file in outcome.files] == formats
        assert (outcome.result is None) == (tool != "metadata")
    for document in DOCUMENTS.values():
        refusal = refusal_of(engine, tool, document(), **more)
        assert refusal is None or refusal.code in REFUSALS, refusal.detail


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_the_same_request_gives_the_same_bytes(engine: PdfToolEngine, tool: str) -> None:
    first, second = (run(engine, tool) for _ in range(2))

    same = [a.content == b.content for a, b in zip(first.files, second.files, strict=True)]
    assert all(same) or tool == "protect"


@pytest.mark.parametrize("document", DOCUMENTS)
@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_a_hostile_document_is_refused_or_worked_on_and_the_next_caller_unharmed(
    engine: PdfToolEngine, tool: str, document: str
) -> None:
    content = DOCUMENTS[document]()
    before_s = children_s()
    refusal = refusal_of(engine, tool, content)

    assert refusal is None or refusal.code in REFUSALS, refusal.detail
    assert children_s() - before_s < _MAX_S
    assert run(engine, "rotate").files


@pytest.mark.parametrize("tool", TOOL_OPTIONS)
def test_a_document_that_swells_takes_no_more_than_its_memory(
    small_engine: PdfToolEngine, tool: str
) -> None:
    content = hostile.swelling(2_000 // small_tool_process.SHARE)
    before_s = children_s()
    refusal = refusal_of(small_engine, tool, content)

    assert refusal is None or refusal.code in REFUSALS, refusal.detail
    assert children_s() - before_s < _MAX_S
    assert run(small_engine, "rotate").files


@pytest.mark.breadth
def test_a_document_that_swells_beyond_the_memory_of_production_harms_nobody(
    engine: PdfToolEngine,
) -> None:
    refusal = refusal_of(engine, "rotate", hostile.swelling(2_000))

    assert refusal is None or refusal.code in REFUSALS, refusal.detail
    assert run(engine, "rotate").files


def test_what_takes_for_ever_ends_at_the_deadline(engine: PdfToolEngine) -> None:
    with pytest.raises(RenderFailure) as late:
        run(engine, "to-images", hostile.endless_drawing(), timeout_s=2)

    assert late.value.code == "render_timeout"
    assert run(engine, "rotate").files


def test_a_cancellation_ends_a_tool_before_its_deadline(engine: PdfToolEngine) -> None:
    cancellation: Future[None] = Future()
    threading.Timer(1, cancellation.set_result, [None]).start()
    deadline = generous_deadline()
    context = JobContext(deadline, lambda _id: b"", cancellation=cancellation)

    with pytest.raises(RenderFailure) as ended:
        engine.run(job("to-images", hostile.endless_drawing()), context)

    assert ended.value.code == "render_timeout"
    assert time.time() < deadline
    assert run(engine, "rotate").files


def test_a_killed_process_is_the_failure_of_its_request_only(engine: PdfToolEngine) -> None:
    killed: set[int] = set()

    def working() -> psutil.Process | None:
        for each in psutil.Process().children():
            with suppress(psutil.Error):
                is_worker = "chalicelib.engine.pdf_tools.run.worker" in each.cmdline()
                if is_worker and each.pid not in killed and each.children():
                    return each
        return None

    def kill() -> None:
        for _ in range(2):
            process = eventually(working)
            killed.add(process.pid)
            process.kill()

    killer = threading.Thread(target=kill)
    killer.start()
    with pytest.raises(RenderFailure) as failed:
        run(engine, "to-images", hostile.endless_drawing())
    killer.join()

    assert failed.value.code == "invalid_pdf_source"
    assert run(engine, "rotate").files


def test_no_process_is_left_behind() -> None:
    made = PdfToolEngine(NoEgress(), tool_worker(FONTS), TemplateWorker())
    before = set(psutil.Process().children(recursive=True))
    first, second = run(made, "rotate"), run(made, "rotate")
    started = set(psutil.Process().children(recursive=True)) - before

    made.close()

    assert (first.is_cold_start, second.is_cold_start) == (True, False)
    assert started
    psutil.wait_procs(started, timeout=PATIENCE_S)
    assert not [each for each in started if each.is_running()]


def test_sources_may_be_many(engine: PdfToolEngine) -> None:
    source = as_source(pdf(1))
    request: Any = read_part(requests.MergeRequest, {"sources": [source] * 500}, "")
    merge = PdfToolJob(tool_options("merge", request), tool_sources(request), max_pages=500)
    context = JobContext(generous_deadline(), lambda _id: b"")

    assert engine.run(merge, context).files[0].pages == 500
