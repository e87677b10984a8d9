"""The engine function in this process: a call as JSON there, an answer as JSON back."""

import json
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from chalicelib.adapters.aws.functions import FunctionBusy, LambdaFunction
from chalicelib.core.clock import SystemClock
from chalicelib.engine.ports import HostUnreachableError, PresignedPost
from chalicelib.engine.remote.calls import call_from_json
from chalicelib.engine.remote.execute import Engine, ExecuteCall
from chalicelib.engine.sandbox.walls import Walls

if TYPE_CHECKING:
    from collections.abc import Mapping

MAX_PAYLOAD_BYTES = 6_291_456


class MemoryObjects:
    """Bucket that the caller writes and signs, and that the function reaches by addresses only."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}
        self.seen: list[str] = []

    def put(self, key: str, body: bytes, **_options: Any) -> None:
        self.seen.append(key)
        self.kept[key] = body

    def delete(self, key: str) -> None:
        self.kept.pop(key, None)

    def read(self, key: str) -> bytes | None:
        return self.kept.get(key)

    def presigned_get(self, key: str, *, expires_s: int) -> str:
        assert expires_s > 0
        return f"https://store.test/{key}?signed"

    def presigned_post(
        self, key: str, *, content_type: str, min_bytes: int, max_bytes: int, expires_s: int
    ) -> PresignedPost:
        assert expires_s > 0
        limits = {"min": str(min_bytes), "max": str(max_bytes), "Content-Type": content_type}
        return PresignedPost(f"https://store.test/{key}", limits)

    def get(self, url: str, *, max_bytes: int = 0, timeout_s: float = 0) -> bytes | None:
        """Return an object by its key, or for the function, which gives limits, by its address."""
        if not max_bytes:
            return self.read(url)
        assert timeout_s > 0
        assert url.endswith("?signed")
        return self.read(urlsplit(url).path.removeprefix("/"))

    def post(self, form: PresignedPost, content: bytes, *, timeout_s: float) -> None:
        assert timeout_s > 0
        if not int(form.fields["min"]) <= len(content) <= int(form.fields["max"]):
            raise HostUnreachableError("the store answered 400")
        self.put(urlsplit(form.url).path.removeprefix("/"), content)


class EngineFunction:
    """Function over an engine; the next answers can be replaced."""

    def __init__(self, engine: Engine, objects: MemoryObjects) -> None:
        self._execute = ExecuteCall(
            engine, objects, lambda: cast("Any", None), SystemClock(), Walls()
        )
        self.refusals = 0
        self.tenants: list[str] = []
        self.payloads: list[Mapping[str, Any]] = []
        self.answer: Any = None

    start = LambdaFunction.start

    def invoke(self, event: Any, *, wait_s: float, tenant: str) -> dict[str, Any]:
        assert wait_s > 0
        self.tenants.append(tenant)
        payload = json.dumps(event)
        assert len(payload) < MAX_PAYLOAD_BYTES
        self.payloads.append(json.loads(payload))
        if self.refusals:
            self.refusals -= 1
            raise FunctionBusy("engine")
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer is not None:
            return cast("dict[str, Any]", self.answer)
        answer = json.dumps(self._execute(call_from_json(json.loads(payload))).to_json())
        assert len(answer) < MAX_PAYLOAD_BYTES
        return cast("dict[str, Any]", json.loads(answer))
