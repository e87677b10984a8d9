"""The program of docs/errors-and-retries.md that repeats requests."""

import email.message
import io
import json
import random
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, Final

import pytest

from infra.template import ROOT

_PAGE: Final = (ROOT / "docs" / "errors-and-retries.md").read_text(encoding="utf-8")
_PROGRAM: Final = _PAGE.partition("cat > out/retry.py <<'END'\n")[2].partition("\nEND\n")[0]
_URL: Final = "https://api.example.com/v1"


class _Network:
    """Answers in order: a render, an error, or the exception of a broken connection."""

    def __init__(self, *answers: object) -> None:
        self.requests: list[urllib.request.Request] = []
        self.pauses: list[float] = []
        self._answers = list(answers)

    def open(self, request: urllib.request.Request, timeout: float) -> io.BytesIO:
        assert timeout > 0
        self.requests.append(request)
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return io.BytesIO(json.dumps(answer).encode())


def _refusal(status: int, code: str | None, retry_after: str | None = None) -> Exception:
    headers = email.message.Message()
    if retry_after is not None:
        headers["Retry-After"] = retry_after
    body = b"<html>" if code is None else json.dumps({"code": code}).encode()
    return urllib.error.HTTPError(_URL, status, "", headers, io.BytesIO(body))


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[[_Network], Any]:
    program: dict[str, Any] = {"__name__": "retry"}
    exec(compile(_PROGRAM, "retry.py", "exec"), program)  # noqa: S102 -- the program of the page
    monkeypatch.setattr(random, "uniform", lambda _least, most: most)

    def run_with(network: _Network) -> Any:
        monkeypatch.setattr(urllib.request, "urlopen", network.open)
        monkeypatch.setattr(time, "sleep", network.pauses.append)
        return program["render"](_URL, "key", {"input": {}}, "invoice-9")

    return run_with


@pytest.mark.parametrize(
    ("failure", "pause_s"),
    [
        (_refusal(429, "rate_limited", "2"), 3),
        (_refusal(503, "maintenance", "30"), 31),
        (_refusal(500, "internal_error"), 1),
        (_refusal(502, None), 1),
        (_refusal(409, "idempotency_in_progress", "1"), 2),
        (ConnectionResetError(), 1),
        (urllib.error.URLError("no route"), 1),
    ],
)
def test_transient_failure_is_repeated_with_the_same_key(
    run: Callable[[_Network], Any], failure: Exception, pause_s: float
) -> None:
    network = _Network(failure, {"status": "queued"})

    assert run(network) == {"status": "queued"}
    keys = [request.get_header("Idempotency-key") for request in network.requests]
    assert keys == ["invoice-9", "invoice-9"]
    assert network.pauses == [pause_s]


@pytest.mark.parametrize(
    "refusal",
    [
        _refusal(400, "validation_error"),
        _refusal(409, "conflict"),
        _refusal(422, "render_failed"),
        _refusal(429, "quota_exceeded", "1"),
    ],
)
def test_other_refusals_are_not_repeated(
    run: Callable[[_Network], Any], refusal: Exception
) -> None:
    network = _Network(refusal)

    with pytest.raises(RuntimeError):
        run(network)
    assert len(network.requests) == 1


def test_pauses_grow_and_attempts_end(run: Callable[[_Network], Any]) -> None:
    network = _Network(*[ConnectionResetError() for _ in range(6)])

    with pytest.raises(ConnectionResetError):
        run(network)
    assert network.pauses == [1, 2, 4, 8, 16]
