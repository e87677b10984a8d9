"""Runtime executor of LocalStack: one child process per execution environment (decision 12)."""

import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final, override

from localstack import config
from localstack.aws.api import RequestContext
from localstack.services.lambda_.invocation.executor_endpoint import StatusErrorException
from localstack.services.lambda_.invocation.lambda_models import FunctionVersion, InvocationResult
from localstack.services.lambda_.invocation.runtime_executor import (
    LambdaRuntimeException,
    RuntimeExecutor,
)

from infra.local.processes import Spawner
from infra.local.runner.process import (
    InvocationAnswer,
    WorkerProcess,
    timeout_failure,
    worker_answer,
)
from infra.localstack.environment import LambdaLayout

_RUNTIME: Final = "python3.13"
_HOST: Final = "127.0.0.1"
# The base interpreter without site-packages: only the package itself may be importable.
_PYTHON: Final = (str(Path(sys.base_prefix) / "bin" / _RUNTIME), "-P", "-S", "-s")
_SPAWNER: Final = Spawner()
# Tenants by the ids of requests that have not reached an executor yet.
_TENANTS: Final[dict[str, str]] = {}


def note_tenant(_chain: object, context: RequestContext, _response: object) -> None:
    """Keep the tenant id of an invocation for its executor; LocalStack drops it."""
    if context.operation is not None and context.operation.name == "Invoke":
        tenant = (context.service_request or {}).get("TenantId")
        if tenant is not None:
            _TENANTS[context.request_id] = tenant


class ProcessExecutor(RuntimeExecutor):  # type: ignore[misc]
    """One execution environment; its process is restarted after it died or was killed.

    LocalStack gives an idle environment to any tenant, so it is renewed for another one.
    """

    def __init__(self, id: str, function_version: FunctionVersion) -> None:  # noqa: A002
        """Start nothing yet."""
        super().__init__(id, function_version)
        self._config = function_version.config
        root = Path(tempfile.gettempdir()) / "environments" / id
        self._layout = LambdaLayout(root, self._config.code.get_unzipped_code_location())
        self._variables: dict[str, str] = {}
        self._worker: WorkerProcess | None = None
        self._log_lines: list[str] = []
        self._reported_count = 0

    @override
    def start(self, env_vars: dict[str, str]) -> None:
        if self._config.runtime != _RUNTIME:
            message = f"functions run on {_RUNTIME} here, not on {self._config.runtime}"
            raise LambdaRuntimeException(message)
        self._layout.make(
            [layer.code.get_unzipped_code_location() for layer in self._config.layers]
        )
        self._variables = self._layout.variables(env_vars)
        self._start_worker()

    @override
    def stop(self) -> None:
        self._kill_worker()
        self._layout.remove()

    @override
    def invoke(self, payload: dict[str, str]) -> InvocationResult:
        request_id = payload["invoke-id"]
        worker = self._worker_for(_TENANTS.pop(request_id, None))
        answer = self._invoke_worker(worker, payload)
        # The result comes over another pipe than the log lines and may overtake them.
        worker.output.catch_up()
        return InvocationResult(
            request_id,
            answer.payload,
            is_error=answer.error is not None,
            logs="\n".join(self._new_log_lines(request_id)),
        )

    @override
    def get_logs(self) -> str:
        return "\n".join(self._log_lines) or "nothing was written"

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
        version_config = function_version.config
        for code in (version_config.code, *(layer.code for layer in version_config.layers)):
            code.prepare_for_execution()

    @classmethod
    @override
    def cleanup_version(cls, function_version: FunctionVersion) -> None:
        """Keep the code: a later version may share it."""

    def _new_log_lines(self, request_id: str) -> Iterator[str]:
        """Yield the lines since the last call; LocalStack warns if there are none at all."""
        yield f"START RequestId: {request_id}"
        first, self._reported_count = self._reported_count, len(self._log_lines)
        yield from self._log_lines[first : self._reported_count]
        yield f"END RequestId: {request_id}"

    def _worker_for(self, tenant: str | None) -> WorkerProcess:
        worker = self._worker
        if worker is not None and not worker.may_serve(tenant):
            self._kill_worker()
            self._layout.renew_tmp()
            worker = None
        if worker is None or not worker.is_alive():
            worker = self._start_worker()
        worker.tenant = tenant
        return worker

    def _start_worker(self) -> WorkerProcess:
        self._kill_worker()
        self._worker = worker = WorkerProcess(
            self._config,
            self._variables,
            _SPAWNER,
            self._log_lines.append,
            python=_PYTHON,
            folder=self._layout.code,
        )
        problem = worker.wait_until_ready()
        if problem is not None:
            self._kill_worker()
            message = f"{self._config.handler} did not start"
            raise StatusErrorException(message, payload=problem.payload)
        return worker

    def _invoke_worker(self, worker: WorkerProcess, payload: dict[str, str]) -> InvocationAnswer:
        request_id, timeout_s = payload["invoke-id"], self._config.timeout
        head = {
            "request_id": request_id,
            "arn": payload["invoked-function-arn"],
            "deadline": time.time() + timeout_s,
            "tenant_id": worker.tenant,
        }
        try:
            worker.channel.send(head, payload["payload"].encode())
            answer_head, content = worker.channel.receive(time.monotonic() + timeout_s)
        except TimeoutError:
            self._kill_worker()
            return timeout_failure(request_id, timeout_s)
        except (EOFError, OSError):
            self._kill_worker()
            return worker.exit_failure(request_id)
        return worker_answer(answer_head, content)

    def _kill_worker(self) -> None:
        if self._worker is not None:
            self._worker.kill()
            self._worker = None
