"""Worker program of a function: imports its handler, then serves events.

`python -m infra.local.runner.worker <fd> <pid of the stack> <module.attribute>`: one event at a
time, or with the variable RUNNER_THREADS one in each thread. Standard library only, so that it adds
nothing to a function's imports.
"""

import contextlib
import contextvars
import importlib
import json
import os
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, Final

from infra.local.die_with_parent import die_with_parent
from infra.local.runner.frames import Channel

_STACK_BYTES: Final = 8 << 20


class LambdaContext:
    """Context argument of a Lambda handler."""

    function_version = "$LATEST"
    identity = None
    log_stream_name = "local"

    def __init__(self, head: Mapping[str, Any]) -> None:
        """Read ids, deadline (epoch seconds) and client context from the head."""
        self.aws_request_id: str = head["request_id"]
        self.invoked_function_arn: str = head["arn"]
        self.tenant_id: str | None = head.get("tenant_id")
        self.function_name = os.environ["AWS_LAMBDA_FUNCTION_NAME"]
        self.memory_limit_in_mb = os.environ["AWS_LAMBDA_FUNCTION_MEMORY_SIZE"]
        self.log_group_name = f"/aws/lambda/{self.function_name}"
        client_context = head.get("client_context")
        self.client_context = SimpleNamespace(**client_context) if client_context else None
        # As on Lambda, a change of the machine's clock does not move it.
        self._deadline = time.monotonic() + head["deadline"] - time.time()

    def get_remaining_time_in_millis(self) -> int:
        """Return the milliseconds until the timeout."""
        return max(0, int((self._deadline - time.monotonic()) * 1000))


type _Handler = Callable[[Any, LambdaContext], Any]


def serve(channel: Channel, handler_name: str) -> None:
    """Import the handler, report the outcome, and answer events until the channel closes."""
    handler = _load_handler(channel, handler_name)
    while handler is not None:
        try:
            head, payload = channel.receive()
        except EOFError:
            return
        channel.send(*_answer(handler, head, payload))


def serve_in_threads(channel: Channel, handler_name: str) -> None:
    """Import the handler, report the outcome, and serve each connection that comes in a thread.

    The process ends when the channel closes, whether its threads have ended or not.
    """
    handler = _load_handler(channel, handler_name)
    # The default follows `ulimit -s`, which may be too small for deeply nested JSON.
    threading.stack_size(_STACK_BYTES)
    while handler is not None:
        try:
            connection = channel.receive_socket()
        except EOFError:
            os._exit(0)
        if connection is not None:
            _start_thread(connection, handler)


def _start_thread(connection: socket.socket, handler: _Handler) -> None:
    thread = threading.Thread(target=_serve_thread, args=(connection, handler), daemon=True)
    try:
        thread.start()
    except RuntimeError:
        # No room for another thread: the caller is told, and the other threads go on.
        connection.close()


def _serve_thread(connection: socket.socket, handler: _Handler) -> None:
    channel = Channel(connection)
    # The other end may be gone: the stack gives up threads that hang.
    with connection, contextlib.suppress(EOFError, OSError):
        while True:
            head, payload = channel.receive()
            # What an invocation binds to its context must not reach the next one.
            answer = contextvars.Context().run(_answer, handler, head, payload)
            channel.send(*answer)


def _load_handler(channel: Channel, handler_name: str) -> _Handler | None:
    """Return the handler, or None; the other end is told which."""
    try:
        handler = _import_handler(handler_name)
    except BaseException as error:  # noqa: BLE001 -- any error of the import is the answer
        channel.send({"status": "failed"}, _error_payload(error, "Runtime.ImportModuleError"))
        return None
    channel.send({"status": "ready"})
    return handler


def _import_handler(handler_name: str) -> _Handler:
    module_name, attribute = handler_name.rsplit(".", 1)
    module = importlib.import_module(module_name)
    # Where this variable is set, the module warms itself (chalicelib/bootstrap/cold_start.py).
    if "AWS_LAMBDA_INITIALIZATION_TYPE" not in os.environ and hasattr(module, "warm"):
        module.warm()
        if os.environ.get("RUNNER_THREADS"):
            _prepare_for_threads(module)
    handler: _Handler = getattr(module, attribute)
    return handler


def _prepare_for_threads(module: ModuleType) -> None:
    """Let the product build the objects that its threads share; a handler of the tests has none."""
    product = sys.modules.get("chalicelib.bootstrap.cold_start")
    if product is not None:
        product.prepare_for_threads(vars(module).get("LATE_MODULES", ()))


def _answer(
    handler: _Handler, head: Mapping[str, Any], payload: bytes
) -> tuple[dict[str, Any], bytes]:
    answer: dict[str, Any] = {"status": "failed"}
    try:
        event = json.loads(payload)
        answer["request_id"] = _request_id(event)
        result = handler(event, LambdaContext(head))
        return answer | {"status": "ok"}, _encode(result)
    except Exception as error:  # noqa: BLE001 -- Lambda answers with an unhandled exception
        return answer, _error_payload(error)
    except SystemExit as error:
        if threading.current_thread() is threading.main_thread():
            raise
        return answer, _error_payload(error)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _encode(result: Any) -> bytes:
    """Encode a result as Lambda's runtime does since Python 3.12, without ASCII escapes."""
    return json.dumps(result, separators=(",", ":"), ensure_ascii=False).encode()


def _request_id(event: Any) -> str | None:
    """Return the request id of an event, or of the only message in it, for the console."""
    if not isinstance(event, dict):
        return None
    records: list[Any] = event.get("Records") or []
    if len(records) == 1 and "body" in records[0]:
        try:
            event = json.loads(records[0]["body"])
        except (ValueError, RecursionError):
            return None
    request_id = event.get("request_id") if isinstance(event, dict) else None
    return request_id if isinstance(request_id, str) else None


def _error_payload(error: BaseException, kind: str | None = None) -> bytes:
    trace = traceback.format_exception(error)
    return json.dumps(
        {
            "errorMessage": str(error),
            "errorType": kind or type(error).__name__,
            "stackTrace": trace,
        },
    ).encode()


def _set_oom_score(score: int) -> None:
    """Set the OOM score: when memory is used up, the kernel ends the highest first (proc(5))."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(score), encoding="ascii")


if __name__ == "__main__":
    die_with_parent(int(sys.argv[2]))
    # Workers are replaced and emulators are not; many callers wait for a process with threads.
    has_threads = bool(os.environ.get("RUNNER_THREADS"))
    _set_oom_score(700 if has_threads else 900)
    run = serve_in_threads if has_threads else serve
    run(Channel(socket.socket(fileno=int(sys.argv[1]))), sys.argv[3])
