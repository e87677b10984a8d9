"""Memory of the function of PDF tools and its processes, in proportional set sizes."""

import os
import threading
from typing import Final, Self, override

import psutil

from infra.bench.pdf_tools.api_client import ApiClient
from infra.local.running_stack import RunningStack

BASE_BYTES: Final = 100_000_000
FACTOR: Final = 6
_HANDLER: Final = "functions.pdf_tools.handler.handler"
_SAMPLE_S: Final = 0.02
# The bounds of a source, and half of it; merged are two of half the size.
_LARGE_BYTES: Final = (50_000_000, 99_000_000)
_TOOLS: Final = ("rotate", "compress", "to-text", "merge")
_PDF: Final = (
    b"%%PDF-1.4\n"
    b"1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
    b"2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n"
    b"3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] "
    b"/Resources << /Properties << /P 4 0 R >> >> >>\nendobj\n"
    b"4 0 obj\n<< /Filter /DCTDecode /Length %d >>\nstream\n%b\nendstream\nendobj\n"
    b"trailer\n<< /Size 5 /Root 1 0 R >>\n"
)


def allowed_bytes(source_bytes: int) -> int:
    """Return the most memory that the function may take above the idle one."""
    return BASE_BYTES + FACTOR * source_bytes


def large_file_peaks(stack: RunningStack, client: ApiClient) -> dict[int, dict[str, int]]:
    """Return the peak of each tool on files of one large stream, by bytes of the sources."""
    peaks = dict[int, dict[str, int]]()
    for size in _LARGE_BYTES:
        whole = [client.upload(_large_pdf(size))]
        halves = [client.upload(_large_pdf(size // 2)) for _ in range(2)]
        for tool in _TOOLS:
            with PeakMemory(stack) as memory:
                options = {"angle": 90} if tool == "rotate" else {}
                client.run(tool, halves if tool == "merge" else whole, options)
            peaks.setdefault(size, {})[tool] = memory.bytes_above_idle
    return peaks


def _large_pdf(size: int) -> bytes:
    """Return a PDF with a stream of random bytes."""
    body = _PDF % (size, os.urandom(size))
    begins = [body.index(b"%d 0 obj" % number) for number in range(1, 5)]
    head, _, trailer = body.rpartition(b"trailer")
    rows = b"".join(b"%010d 00000 n \n" % begin for begin in begins)
    table = b"xref\n0 5\n0000000000 65535 f \n" + rows + b"trailer" + trailer
    return head + table + b"startxref\n%d\n%%%%EOF\n" % len(head)


def _is_function(process: psutil.Process) -> bool:
    try:
        return _HANDLER in process.cmdline()
    except psutil.NoSuchProcess:
        # Another process of the stack has just ended.
        return False


class PeakMemory(threading.Thread):
    """Sampler of the memory of the function of PDF tools while a block runs."""

    def __init__(self, stack: RunningStack) -> None:
        """Find the processes of the function."""
        super().__init__(daemon=True)
        children = psutil.Process(stack.pid).children(recursive=True)
        self._functions = [each for each in children if _is_function(each)]
        self._done = threading.Event()
        self._idle = self._bytes()
        self.bytes_above_idle = 0

    def __enter__(self) -> Self:
        """Begin to sample."""
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Sample no more."""
        self._done.set()
        self.join()

    @override
    def run(self) -> None:
        """Sample until the end of the block."""
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
