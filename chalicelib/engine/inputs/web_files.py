"""Files of the web that headers and footers name, as these load nothing themselves."""

import re
from collections.abc import Collection
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Final, NamedTuple

from chalicelib.engine.assets import AssetFile
from chalicelib.engine.browser.proxy.budget import (
    MAX_REQUESTS,
    MAX_TOTAL_BYTES,
    TOO_MANY_REQUESTS,
    TOTAL_TOO_LARGE,
)
from chalicelib.engine.browser.requests.assets import Refusal
from chalicelib.engine.deadline import Deadline, timeout_failure
from chalicelib.engine.ports import (
    Egress,
    FetchResponse,
    HostRefusedError,
    HostUnreachableError,
)

_CONCURRENCY: Final = 6
# Longest time until a cancelled render is noticed (decision 13).
_HEARTBEAT_S: Final = 0.25
_MEDIA_TYPE: Final = re.compile(r"[\w.+-]{1,100}/[\w.+-]{1,100}")


class WebFile(NamedTuple):
    """File of the web, and its address after all redirects."""

    file: AssetFile
    url: str


class WebFiles:
    """Files of the web by their addresses, within the budgets of a page."""

    def __init__(self, egress: Egress, deadline: Deadline, timeout_ms: int, max_bytes: int) -> None:
        """Fetch nothing yet; the time of `timeout_ms` is that of all files together.

        No file may have more than `max_bytes`. `deadline` is the job's.
        """
        self._egress = egress
        self._deadline = deadline
        self._timeout_ms = timeout_ms
        self._max_bytes = max_bytes
        self._end: Deadline | None = None
        self._count = 0
        self._bytes = 0
        self._found: dict[str, WebFile | Refusal] = {}

    def get(self, url: str) -> WebFile | Refusal | None:
        """Return the file of an address, or why there is none; None before it is fetched."""
        return self._found.get(url)

    def fetch(self, urls: Collection[str]) -> None:
        """Fetch files; raises RenderFailure `render_timeout` at the job's deadline."""
        self._end = end = self._end or self._deadline.within(self._timeout_ms / 1000)
        pool = ThreadPoolExecutor(_CONCURRENCY, thread_name_prefix="web-files")
        try:
            responses = {url: pool.submit(self._response, url, end) for url in self._admit(urls)}
            for url, response in responses.items():
                while not response.done() and not end.has_passed:
                    wait([response], min(_HEARTBEAT_S, end.remaining_s()))
                if self._deadline.has_passed:
                    raise timeout_failure()
                self._found[url] = self._file(response)
        finally:
            # A running fetch cannot be interrupted; it ends by its own timeout.
            pool.shutdown(wait=False, cancel_futures=True)

    def _admit(self, urls: Collection[str]) -> list[str]:
        admitted = list(urls)[: max(MAX_REQUESTS - self._count, 0)]
        self._count += len(admitted)
        self._found |= dict.fromkeys(urls, Refusal(TOO_MANY_REQUESTS))
        return admitted

    def _response(self, url: str, end: Deadline) -> FetchResponse:
        return self._egress.fetch(url, max_bytes=self._max_bytes, timeout_s=end.remaining_s())

    def _file(self, fetched: "Future[FetchResponse]") -> WebFile | Refusal:
        if not fetched.done():
            return Refusal(f"it did not come within wait.timeout_ms ({self._timeout_ms})")
        try:
            response = fetched.result()
        except HostRefusedError as refused:
            return Refusal(str(refused), is_refused=True)
        except HostUnreachableError as unreachable:
            return Refusal(str(unreachable))
        self._bytes += len(response.content)
        if self._bytes > MAX_TOTAL_BYTES:
            return Refusal(TOTAL_TOO_LARGE)
        kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
        # Without a type the browser looks at the content.
        content_type = kind if _MEDIA_TYPE.fullmatch(kind) else ""
        return WebFile(AssetFile(response.content, content_type), response.url)
