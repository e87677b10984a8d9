"""Engine of PDF tools without processes of its own: the tools run in this one."""

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import msgspec

from chalicelib.engine.pdf.fonts.font_files import FontFiles
from chalicelib.engine.pdf_tools.run.exchange import run_request
from chalicelib.engine.pdf_tools.run.tool_engine import PdfToolEngine
from chalicelib.engine.ports import Egress
from infra.setup.steps import INSTALL_DIR
from tests.fakes.engine import InProcessTemplates

if TYPE_CHECKING:
    from chalicelib.core.errors import RenderFailure


_FONTS = FontFiles(INSTALL_DIR / "fonts")


class InProcessWorker:
    """Worker that runs requests at once; `failure` is raised in place of an answer."""

    def __init__(self) -> None:
        self.failure: RenderFailure | None = None
        self.requests: list[Mapping[str, Any]] = []

    @contextmanager
    def cancel_on(self, _cancellation: Future[None]) -> Iterator[None]:
        yield

    def call(
        self, message: Mapping[str, object], deadline: float, contents: Sequence[bytes] = ()
    ) -> dict[str, Any]:
        del deadline
        if self.failure is not None:
            raise self.failure
        self.requests.append(message)
        plain = msgspec.json.decode(msgspec.json.encode(message))
        answer, made = run_request(plain, contents, _FONTS)
        return {**msgspec.json.decode(msgspec.json.encode(answer)), "contents": made}


def in_process_tools(egress: Egress, worker: InProcessWorker) -> PdfToolEngine:
    """Return the engine of PDF tools over a worker of this process."""
    templates: Any = InProcessTemplates()
    return PdfToolEngine(egress, cast("Any", worker), templates)
