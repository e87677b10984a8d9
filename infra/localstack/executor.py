"""Runs each execution environment of a function as one child process of LocalStack."""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, override

from localstack import config
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import (
    LambdaRuntimeException,
    RuntimeExecutor,
)

from infra.local.processes import Spawner
from infra.local.runner.process import Answer, Worker, checked, timed_out
from infra.localstack.environment import Layout

_RUNTIME: Final = "python3.13"
_HOST: Final = "127.0.0.1"
# The interpreter below every virtual environment, without anything that is installed in it.
_PYTHON: Final = (str(Path(sys.base_prefix) / "bin" / _RUNTIME), "-P", "-S", "-s")
_SPAWNER: Final = Spawner()


class ProcessExecutor(RuntimeExecutor):  # type: ignore[misc]
    """One environment: a process that is started again when it has died or was ended."""

    def __init__(self, id: str, function_version: FunctionVersion) -> None:  # noqa: A002
        """Start nothing yet."""
        super().__init__(id, function_version)
        self._config = function_version.config
        root = Path(tempfile.gettempdir()) / "environments" / id
        self._layout = Layout(root, self._config.code.get_unzipped_code_location())
        self._variables: dict[str, str] = {}
        self._worker: Worker | None = None
        self._lines: list[str] = []
        self._told = 0

    @override
    def start(self, env_vars: dict[str, str]) -> None:
        if self._config.runtime != _RUNTIME:
            message = f"functions run on {_RUNTIME} here, not on {self._config.runtime}"
            raise LambdaRuntimeException(message)
        self._layout.make(
            [layer.code.get_unzipped_code_location() for layer in self._config.layers]
        )
        self._variables = self._layout.variables(env_vars)
        self._launch()

    @override
    def stop(self) -> None:
        self._end()
        self._layout.remove()

    @override
    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        request_id = payload["invoke-id"]
        worker = self._worker
        if worker is None or not worker.alive():
            worker = self._launch()
        answer = self._run(worker, payload)
        # An answer comes another way than the lines before it, and may overtake them.
        worker.output.catch_up()
        return InvocationResult(
            request_id,
            answer.payload,
            is_error=answer.error is not None,
            logs="\n".join(self._said(request_id)),
        )

    @override
    def get_logs(self) -> str:
        return "\n".join(self._lines) or "nothing was written"

    @override
    def get_address(self) -> str:
        return _HOST

    @override
    def get_endpoint_from_executor(self) -> str:
        return _HOST

    @override
    def get_runtime_endpoint(self) -> str:
        return f"http://{_HOST}:{config.GATEWAY_LISTEN[0].port}"

    @classmethod
    @override
    def prepare_version(cls, function_version: FunctionVersion) -> None:
        wanted = function_version.config
        for code in (wanted.code, *(layer.code for layer in wanted.layers)):
            code.prepare_for_execution()

    @classmethod
    @override
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """Leave the code where it is: a later version may share it."""

    def _said(self, request_id: str) -> Iterator[str]:
        """Yield what was not yet told; LocalStack warns of functions that say nothing at all."""
        yield f"START RequestId: {request_id}"
        told, self._told = self._told, len(self._lines)
        yield from self._lines[told : self._told]
        yield f"END RequestId: {request_id}"

    def _launch(self) -> Worker:
        self._end()
        self._worker = worker = Worker(
            self._config,
            self._variables,
            _SPAWNER,
            self._lines.append,
            python=_PYTHON,
            folder=self._layout.code,
        )
        problem = worker.wait_until_ready()
        if problem is not None:
            self._end()
            message = f"{self._config.handler} did not start"
            raise StatusErrorException(message, payload=problem.payload)
        return worker

    def _run(self, worker: Worker, payload: dict[str, str]) -> Answer:
        request_id, timeout_s = payload["invoke-id"], self._config.timeout
        head = {
            "request_id": request_id,
            "arn": payload["invoked-function-arn"],
            "deadline": time.time() + timeout_s,
        }
        try:
            worker.channel.send(head, payload["payload"].encode())
            told, content = worker.channel.receive(time.monotonic() + timeout_s)
        except TimeoutError:
            self._end()
            return timed_out(request_id, timeout_s)
        except (EOFError, OSError):
            self._end()
            return worker.died(request_id)
        return checked(told, content)

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
