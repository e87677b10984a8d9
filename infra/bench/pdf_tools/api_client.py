"""Client of the API in the benchmark of all tools."""

import json
import time
import urllib.request
from base64 import b64encode
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

import httpx

from chalicelib.core.json import Json, JsonObject
from infra.local.running_stack import RunningStack

_POLL_S: Final = 0.005
_TIMEOUT_S: Final = 300


class ApiClient:
    """Client that sends sources to tools, and waits for the answers."""

    def __init__(self, stack: RunningStack) -> None:
        """Call the API of a stack."""
        self._stack = stack

    def upload(self, content: bytes) -> JsonObject:
        """Send a file ahead; return it as a source."""
        announced: JsonObject = {
            "filename": "a.pdf",
            "content_type": "application/pdf",
            "bytes": len(content),
        }
        upload = self._send("POST", "/uploads", announced)
        form = upload["upload"]
        answer = httpx.post(
            form["url"], data=form["fields"], files={"file": content}, timeout=_TIMEOUT_S
        )
        assert HTTPStatus(answer.status_code).is_success, answer.text
        return {"upload_id": upload["id"]}

    def run(self, tool: str, sources: Sequence[JsonObject], options: Mapping[str, Json]) -> float:
        """Return the seconds until the answer has arrived."""
        # What a caller cannot wait for goes on, and is looked for.
        body: JsonObject = {**options, "timeout_behavior": "continue"}
        named: JsonObject = {"sources": sources} if tool == "merge" else {"source": sources[0]}
        started = time.perf_counter()
        render = self._send("POST", f"/pdf-tools/{tool}", {**body, **named})
        while render["status"] in {"queued", "processing"}:
            time.sleep(_POLL_S)
            render = self._send("GET", f"/renders/{render['id']}")
        assert render["status"] == "succeeded", (tool, render["error"])
        return time.perf_counter() - started

    def _send(self, method: str, path: str, body: JsonObject | None = None) -> Any:
        request = urllib.request.Request(  # noqa: S310 -- the stack's own address
            self._stack.base_url + path,
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={
                "Authorization": f"Bearer {self._stack.live_key}",
                "Content-Type": "application/json",
            },
        )
        with urllib.request.urlopen(request, timeout=_TIMEOUT_S) as answer:  # noqa: S310 -- as above
            return json.load(answer)


def inline_source(content: bytes, password: str | None = None) -> JsonObject:
    """Return a source that brings its content."""
    return {"content": b64encode(content).decode(), "password": password}
