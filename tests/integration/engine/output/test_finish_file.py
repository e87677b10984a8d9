"""Finishing in a process of its own: the same file, and an early end when canceled."""

import io
import os
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from copy import replace
from functools import cache
from typing import Any, Final

import psutil
import pytest
from PIL import Image

from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.browser.page.page import BrowserPage
from chalicelib.engine.browser.pool.lifecycle import Browser
from chalicelib.engine.context import RenderedFile
from chalicelib.engine.deadline import Deadline
from chalicelib.engine.finishing.finisher import FinishingContext
from chalicelib.engine.finishing.separate_prints import SeparatePrint
from chalicelib.engine.formats.finish_file import finish_file
from chalicelib.engine.formats.format import RenderFormat
from chalicelib.engine.formats.jpeg import JPEG
from chalicelib.engine.formats.pdf import PDF
from chalicelib.engine.formats.png import PNG
from chalicelib.engine.formats.webp import WEBP
from chalicelib.engine.render_trace import TraceRecorder
from tests.builders.waiting import PATIENCE_S, eventually

LENGTHY: dict[str, tuple[RenderFormat, dict[str, Any]]] = {
    "webp": (WEBP, {"image": {"lossless": True}}),
    "png": (PNG, {"image": {"width": 7000, "height": 7000, "fit": "cover"}}),
}

# Where the finishing is canceled; to its end it takes several times as long.
_AT_WORK_S: Final = 0.3


@cache
def noise(side: int) -> bytes:
    """Return a PNG of smooth noise, which takes long to compress."""
    coarse = Image.frombytes("RGB", (side // 8, side // 8), os.urandom(3 * (side // 8) ** 2))
    result = io.BytesIO()
    coarse.resize((side, side)).save(result, "png", compress_level=1)
    return result.getvalue()


def children() -> list[psutil.Process]:
    return [child for child in psutil.Process().children() if is_finishing(child)]


def wait_until_at_work() -> None:
    """Return when a finishing process has taken processor time for its file."""

    def is_at_work() -> bool:
        with suppress(psutil.Error):
            return any(child.cpu_times().user > _AT_WORK_S for child in children())
        return False

    eventually(is_at_work)


def is_finishing(process: psutil.Process) -> bool:
    try:
        return any("finish_worker" in word for word in process.cmdline())
    except psutil.Error:
        return False  # The process has ended meanwhile.


def finishing(
    output: dict[str, Any], browser: Browser | None = None, **more: Any
) -> FinishingContext:
    options = OutputOptions.from_json(output)
    parts = {"resources": {}, "test": False, "recorder": TraceRecorder(), **more}

    def print_separately(part: SeparatePrint) -> list[bytes]:
        assert browser is not None
        return browser.use(
            lambda page: part.print(page, options, parts["resources"]), Deadline.after(PATIENCE_S)
        )

    return FinishingContext(options, print_separately=print_separately, **parts)


def both(
    format_: RenderFormat, content: bytes, **options: Any
) -> tuple[RenderedFile, RenderedFile]:
    """Return the file finished in this process, and in a process of its own."""
    here = replace(format_, is_slow=lambda _content, _finishing: False)
    separate = replace(format_, is_slow=lambda _content, _finishing: True)
    made = [
        finish_file(each, content, finishing(**options), Deadline.after(PATIENCE_S))
        for each in (here, separate)
    ]
    return made[0], made[1]


@pytest.fixture(scope="module")
def drawn(browser: Browser) -> bytes:
    output = OutputOptions.from_json({})

    def work(page: BrowserPage) -> bytes:
        page.load("<h1>One</h1><p style='break-before: page'>Two", output)
        return page.pdf(output.pdf)

    return browser.use(work, Deadline.after(PATIENCE_S))


@pytest.mark.parametrize("name", LENGTHY)
def test_finishing_ends_at_once_when_canceled(name: str) -> None:
    format_, output = LENGTHY[name]
    content, deadline = noise(3000), Deadline.after(120)

    def cancel() -> None:
        wait_until_at_work()
        deadline.cancellation.set_result(None)

    with ThreadPoolExecutor(1) as threads:
        canceling = threads.submit(cancel)
        # Finished to its end, it would return a file.
        with pytest.raises(RenderFailure) as failure:
            finish_file(format_, content, finishing({**output, "formats": [name]}), deadline)
        canceling.result()

    assert failure.value.code == "render_timeout"
    assert children() == []


def test_finishing_ends_at_the_deadline() -> None:
    with pytest.raises(RenderFailure) as failure:
        finish_file(WEBP, noise(6000), finishing({"image": {"lossless": True}}), Deadline.after(1))

    assert failure.value.code == "render_timeout"
    assert children() == []


def test_finishing_past_the_deadline_fails() -> None:
    with pytest.raises(RenderFailure, match="in time"):
        finish_file(JPEG, noise(80), finishing({}), Deadline.after(0))


@pytest.mark.parametrize(
    "pdf",
    [
        {"metadata": {"title": "T"}},
        {"watermark": {"text": "DRAFT"}, "first_header": {"html": "<p>first</p>"}},
    ],
)
def test_pdf_is_the_same_in_both_processes(
    browser: Browser, drawn: bytes, pdf: dict[str, Any]
) -> None:
    here, separate = both(PDF, drawn, output={"pdf": pdf}, browser=browser, test=True)

    assert here == separate
    assert here.pages == 2


@pytest.mark.parametrize("format_", [JPEG, WEBP, PNG])
def test_picture_is_the_same_in_both_processes(format_: RenderFormat) -> None:
    here, separate = both(format_, noise(160), output={}, test=True)

    assert here == separate
    assert here.width == 160


def test_warnings_and_failures_of_the_finishing_process_reach_the_caller(
    browser: Browser, drawn: bytes
) -> None:
    separate = replace(PDF, is_slow=lambda _content, _finishing: True)
    watermark: dict[str, Any] = {"image": {"content": "eA=="}, "font_size": "9pt"}
    output = {"pdf": {"watermark": watermark}}
    source = OutputOptions.from_json(output).pdf.watermark
    assert source is not None
    assert source.image is not None
    recorder = TraceRecorder()
    context = finishing(output, browser, resources={source.image: b"no picture"}, recorder=recorder)

    with pytest.raises(RenderFailure, match="no picture that the browser can show") as failure:
        finish_file(separate, drawn, context, Deadline.after(PATIENCE_S))

    assert failure.value.code == "asset_fetch_failed"
    assert [warning.code for warning in recorder.warnings] == ["feature_unavailable"]


def test_killed_finishing_process_fails_the_render() -> None:
    ended = threading.Event()

    def end() -> None:
        while not ended.is_set():
            for child in children():
                child.kill()
            time.sleep(0.02)

    ending = threading.Thread(target=end)
    ending.start()
    try:
        with pytest.raises(RenderFailure, match="could not be finished") as failure:
            finish_file(WEBP, noise(2000), finishing({}), Deadline.after(PATIENCE_S))
    finally:
        ended.set()
        ending.join()

    assert failure.value.code == "render_failed"
