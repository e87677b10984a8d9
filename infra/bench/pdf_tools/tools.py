"""Benchmark: each PDF tool through the API, compared with its library alone.

`make bench NAME=tools`: a file of 250 tagged pages with a form goes through each tool, in turn with
what the tool's library does for the same purpose in this process. `convert-pdfa` and `validate` are
compared with the validator alone, which takes nearly all of their time. Printed are the medians and
the ratio of each tool, and the most memory that its function has taken above the idle one
(proportional set sizes, sampled).
"""

import io
import json
import statistics
import sys
import threading
import time
import urllib.request
from base64 import b64encode
from collections.abc import Callable, Mapping
from typing import Any, Final, Self, override

import pikepdf
import psutil
import pypdf
import pypdfium2

from chalicelib.engine.conformance.checks import ConformanceCheck
from chalicelib.engine.conformance.local_validator import LocalValidator
from chalicelib.engine.deadline import Deadline
from infra.bench.pdf_tools.document import FIELD, PAGES, bench_document
from infra.local.running_stack import RunningStack, running_stack
from infra.setup.steps import INSTALL_DIR

LIMIT: Final = 3.0
MEMORY_BASE_BYTES: Final = 100_000_000
MEMORY_FACTOR: Final = 6
ROUNDS: Final = 3
_HANDLER: Final = "functions.pdf_tools.handler.handler"
_SAMPLE_S: Final = 0.02
_DPI: Final = 72
_OPTIONS: Final[Mapping[str, Mapping[str, Any]]] = {
    "merge": {},
    "split": {},
    "extract-pages": {"pages": "1-125"},
    "delete-pages": {"pages": "1-125"},
    "rotate": {"angle": 90},
    "reorder": {"order": list(range(PAGES, 0, -1))},
    "watermark": {"watermark": {"text": "Draft"}},
    "stamp": {"stamp": {"text": "Paid", "position": "top-right"}},
    "protect": {"protection": {"user_password": "secret"}},
    "unlock": {},
    "metadata": {"info": {"title": "Parts"}},
    "attach": {"attachments": [{"content": "QQ==", "filename": "a.txt"}]},
    "flatten": {},
    "fill-form": {"fields": {f"{FIELD}{number}": "filled" for number in range(PAGES)}},
    "compress": {},
    "to-images": {"dpi": _DPI},
    "to-text": {},
    "convert-pdfa": {},
    "validate": {},
}


def main() -> int:
    """Print the table and the ratio; 1 when a limit is not met."""
    document = bench_document()
    allowed = MEMORY_BASE_BYTES + MEMORY_FACTOR * len(document)
    sys.stdout.write(f"{PAGES} pages, {len(document) / 1000:.0f} KB\n")
    sys.stdout.write(
        f"{'tool':<15}{'API, s':>9}{'alone, s':>10}{'ratio':>8}{'MB above idle':>15}\n"
    )
    ratios, peaks = [], []
    with running_stack() as stack:
        client, alone = _Client(stack, document), _Alone(document)
        for tool in _OPTIONS:
            through, bare, peak = [], [], 0
            for round_number in range(ROUNDS + 1):
                with _PeakMemory(stack) as memory:
                    spent = client.run(tool)
                library = alone.run(tool)
                if round_number:
                    through.append(spent)
                    bare.append(library)
                    peak = max(peak, memory.bytes_above_idle)
            ratios.append(statistics.median(a / b for a, b in zip(through, bare, strict=True)))
            peaks.append(peak)
            sys.stdout.write(
                f"{tool:<15}{statistics.median(through):>9.2f}{statistics.median(bare):>10.2f}"
                f"{ratios[-1]:>8.2f}{peak / 1e6:>15.0f}\n"
            )
            sys.stdout.flush()
        alone.close()
    ratio, highest = statistics.median(ratios), max(peaks)
    sys.stdout.write(f"peak memory: {highest / 1e6:.0f} MB (limit {allowed / 1e6:.0f})\n")
    sys.stdout.write(f"tools: {ratio:.2f} (limit {LIMIT})\n")
    return int(ratio > LIMIT or highest > allowed)


class _Client:
    """Client of the API that sends the document to a tool."""

    def __init__(self, stack: RunningStack, document: bytes) -> None:
        self._stack = stack
        self._source = {"content": b64encode(document).decode()}
        locked = io.BytesIO()
        with pikepdf.open(io.BytesIO(document)) as pdf:
            pdf.save(locked, encryption=pikepdf.Encryption(owner="secret", user="secret"))
        self._locked = {"content": b64encode(locked.getvalue()).decode(), "password": "secret"}

    def run(self, tool: str) -> float:
        """Return the seconds until the answer has arrived."""
        source = self._locked if tool == "unlock" else self._source
        body = {**_OPTIONS[tool], "timeout_behavior": "continue", "mode": "async"}
        body |= {"sources": [source, source]} if tool == "merge" else {"source": source}
        started = time.perf_counter()
        render = self._send("POST", f"/pdf-tools/{tool}", body)
        while render["status"] in {"queued", "processing"}:
            time.sleep(0.005)
            render = self._send("GET", f"/renders/{render['id']}")
        assert render["status"] == "succeeded" or tool == "convert-pdfa", render["error"]
        return time.perf_counter() - started

    def _send(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 -- the stack's own address
            self._stack.base_url + path,
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Authorization": f"Bearer {self._stack.live_key}",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=300) as answer:  # noqa: S310 -- as above
            return json.load(answer)


class _Alone:
    """Libraries of the tools, in this process."""

    def __init__(self, document: bytes) -> None:
        self._document = document
        self._validator = LocalValidator(INSTALL_DIR / "validators")
        self._runs: Mapping[str, Callable[[], object]] = {
            "merge": self._merge,
            "split": self._split,
            "extract-pages": lambda: self._edit(lambda pdf: pdf.pages.__delitem__(slice(125, 250))),
            "delete-pages": lambda: self._edit(lambda pdf: pdf.pages.__delitem__(slice(0, 125))),
            "rotate": lambda: self._edit(_rotate),
            "reorder": lambda: self._edit(lambda pdf: pdf.pages.reverse()),
            "watermark": lambda: self._edit(_draw_box),
            "stamp": lambda: self._edit(_draw_box),
            "protect": lambda: self._edit(
                lambda _pdf: None, encryption=pikepdf.Encryption(owner="a", user="b", R=6)
            ),
            "flatten": self._flatten,
            "fill-form": self._fill_form,
            "compress": lambda: self._edit(lambda _pdf: None, recompress_flate=True),
            "to-images": self._draw,
            "to-text": self._extract,
            "convert-pdfa": lambda: self._validate(ConformanceCheck.pdfa("2b")),
            "validate": lambda: self._validate(
                ConformanceCheck.pdfa("2b"), ConformanceCheck.pdfua(claimed=False)
            ),
        }

    def run(self, tool: str) -> float:
        """Return the seconds that the library of a tool takes."""
        work = self._runs.get(tool, lambda: self._edit(lambda _pdf: None))
        started = time.perf_counter()
        work()
        return time.perf_counter() - started

    def close(self) -> None:
        """End the validator."""
        self._validator.close()

    def _edit(self, change: Callable[[pikepdf.Pdf], object], **options: Any) -> None:
        with pikepdf.open(io.BytesIO(self._document)) as pdf:
            change(pdf)
            pdf.save(io.BytesIO(), object_stream_mode=pikepdf.ObjectStreamMode.generate, **options)

    def _merge(self) -> None:
        with pikepdf.new() as merged, pikepdf.open(io.BytesIO(self._document)) as source:
            merged.pages.extend(source.pages)
            merged.pages.extend(source.pages)
            merged.save(io.BytesIO())

    def _split(self) -> None:
        with pikepdf.open(io.BytesIO(self._document)) as source:
            for page in source.pages:
                with pikepdf.new() as part:
                    part.pages.append(page)
                    part.save(io.BytesIO())

    def _flatten(self) -> None:
        document = pypdfium2.PdfDocument(self._document)
        document.init_forms()
        for index in range(len(document)):
            document[index].flatten()
        document.save(io.BytesIO())
        document.close()

    def _fill_form(self) -> None:
        writer = pypdf.PdfWriter(clone_from=io.BytesIO(self._document))
        for number, page in enumerate(writer.pages):
            writer.update_page_form_field_values(page, {f"{FIELD}{number}": "filled"})
        writer.write(io.BytesIO())

    def _draw(self) -> None:
        document = pypdfium2.PdfDocument(self._document)
        for index in range(len(document)):
            picture = document[index].render(scale=_DPI / 72).to_pil()
            picture.save(io.BytesIO(), "PNG")
        document.close()

    def _extract(self) -> None:
        document = pypdfium2.PdfDocument(self._document)
        for index in range(len(document)):
            document[index].get_textpage().get_text_range()
        document.close()

    def _validate(self, *checks: ConformanceCheck) -> None:
        self._validator.validate(self._document, checks, Deadline.after(300))


def _rotate(pdf: pikepdf.Pdf) -> None:
    for page in pdf.pages:
        page.rotate(90, relative=True)


def _draw_box(pdf: pikepdf.Pdf) -> None:
    box = pdf.make_stream(b"q 0 0 50 50 re f Q")
    for page in pdf.pages:
        page.contents_add(box)


class _PeakMemory(threading.Thread):
    """Sampler of the memory of the function of PDF tools while a block runs."""

    def __init__(self, stack: RunningStack) -> None:
        super().__init__(daemon=True)
        children = psutil.Process(stack.pid).children(recursive=True)
        self._functions = [each for each in children if _HANDLER in each.cmdline()]
        self._done = threading.Event()
        self._idle = self._bytes()
        self.bytes_above_idle = 0

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self.join()

    @override
    def run(self) -> None:
        while not self._done.wait(_SAMPLE_S):
            self.bytes_above_idle = max(self.bytes_above_idle, self._bytes() - self._idle)

    def _bytes(self) -> int:
        total = 0
        for function in self._functions:
            for process in (function, *function.children(recursive=True)):
                try:
                    total += process.memory_full_info().pss
                except psutil.Error:
                    continue
        return total
