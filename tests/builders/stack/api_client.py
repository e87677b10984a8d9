"""A client of a running stack."""

import time
from typing import Any, Protocol, Self

import httpx

from tests.builders.waiting import PATIENCE_S

HTML = "<!doctype html><html lang='en'><title>A page</title><h1>Hello</h1><p>World"
ENDLESS = "<script>for (;;) {}</script>"


def output_ready_at(ready_at: float) -> dict[str, Any]:
    """Return output options of a document that is ready at a time (Unix seconds)."""
    return {"wait": {"expression": f"Date.now() > {ready_at * 1000:.0f}", "timeout_ms": 60_000}}


class ApiServer(Protocol):
    """Anything that serves the API."""

    @property
    def base_url(self) -> str:
        """Return the base URL, with the version."""
        ...


class ApiClient:
    """Sends requests with one key."""

    def __init__(
        self, stack: ApiServer, key: str, transport: httpx.BaseTransport | None = None
    ) -> None:
        """Connect to a stack, over the network unless there is another way."""
        headers = {"Authorization": f"Bearer {key}"}
        self.http = httpx.Client(
            base_url=stack.base_url, headers=headers, timeout=PATIENCE_S, transport=transport
        )

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self.http.close()

    def render(self, html: str = HTML, **fields: Any) -> httpx.Response:
        """Post a render of a document."""
        headers = fields.pop("headers", {})
        body = {"input": {"type": "html", "html": html}} | fields
        return self.http.post("/renders", json=body, headers=headers)

    def get(self, render_id: str) -> dict[str, Any]:
        """Return a render."""
        answer = self.http.get(f"/renders/{render_id}")
        answer.raise_for_status()
        render: dict[str, Any] = answer.json()
        return render

    def wait_until_final(self, render_id: str, seconds: float = PATIENCE_S) -> dict[str, Any]:
        """Return a render when it is final."""
        until = time.monotonic() + seconds
        while True:
            render = self.get(render_id)
            if render["status"] not in {"queued", "processing"}:
                return render
            assert time.monotonic() < until, render
            time.sleep(0.1)
