"""Functions of a running stack in the process of a benchmark."""

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import psutil

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.engine.render_engine import RenderEngine
from chalicelib.engine.walls import Walls
from chalicelib.settings import EngineSettings
from infra.local.runner.process import InvocationAnswer
from infra.local.running_stack import RunningStack

if TYPE_CHECKING:
    from infra.local.runner.invocation import Invocation

# Imported by name, as Lambda does.
engine_serve: Final[Any] = import_module("functions.engine.serve")


class _SharedFunction(NamedTuple):
    """Function of an in-process pool, as the Invoke API asks for it."""

    isolates_tenants: bool = False


_SHARED: Final = _SharedFunction()


@dataclass(frozen=True, slots=True)
class InProcessPool:
    """Stand-in of a WorkerPool that runs a function in the calling thread."""

    serve: Callable[[Any, str], Mapping[str, Any]]
    function: _SharedFunction = _SHARED

    def invoke(self, invocation: "Invocation") -> InvocationAnswer:
        """Run the function; an exception of it ends the benchmark."""
        answer = self.serve(json.loads(invocation.payload), invocation.request_id)
        return InvocationAnswer(json.dumps(answer).encode())


def engine_of(stack: RunningStack) -> Callable[[Any, str], Mapping[str, Any]]:
    """Return the engine function over a browser of this process."""
    variables = environment(stack, "functions.engine.handler.handler")
    settings = EngineSettings.from_env(variables)
    engine = RenderEngine(
        chromium_dir=settings.chromium_dir,
        fonts_dir=settings.fonts_dir,
        sandbox=True,
        egress=GuardedEgress(allow="", own_hosts=frozenset()),
    )
    engine.start_browser()
    services = engine_serve.engine_services(settings, engine, Walls())

    def serve(event: Any, invocation: str) -> Mapping[str, Any]:
        context = SimpleNamespace(aws_request_id=invocation, tenant_id=None)
        answer: Mapping[str, Any] = engine_serve.serve(event, context, services)
        return answer

    return serve


def environment(stack: RunningStack, handler_name: str) -> dict[str, str]:
    """Return the environment variables of a function of the stack."""
    for process in psutil.Process(stack.pid).children(recursive=True):
        if handler_name in process.cmdline():
            return process.environ()
    message = f"the stack runs no {handler_name}"
    raise AssertionError(message)


def api_event(
    key: str, path: str, body: Mapping[str, Any], more_headers: Mapping[str, str]
) -> dict[str, Any]:
    """Return the event of a `POST` for the API function in this process."""
    headers = {
        "Authorization": f"Bearer {key}",
        "Content-Type": "application/json",
        "Accept": "*/*",
        "Host": "api.test",
        **more_headers,
    }
    return {
        "resource": path,
        "path": path,
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "resourcePath": path,
            "httpMethod": "POST",
            "path": path,
            "identity": {"sourceIp": "203.0.113.7"},
        },
        "body": base64.b64encode(json.dumps(body).encode()).decode(),
        "isBase64Encoded": True,
    }
