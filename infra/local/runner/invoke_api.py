"""Lambda Invoke API of the local stack, by which one function calls another."""

import base64
import json
import re
import threading
import urllib.parse
import uuid
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from infra.local.runner.invocation import Invocation, slot_deadline
from infra.local.runner.pool import Throttled, WorkerPool
from infra.local.runner.process import InvocationAnswer

MAX_SYNC_BYTES: Final = 6_291_456
MAX_EVENT_BYTES: Final = 1_048_576
# As the Invoke API declares its header X-Amz-Tenant-Id.
_TENANT: Final = re.compile(r"[a-zA-Z0-9._:/=+\-@ ]{1,256}")
_PATH: Final = re.compile(r"/2015-03-31/functions/(?P<function>[^/]+)/invocations")

type StartResponse = Callable[[str, list[tuple[str, str]]], Any]


class InvokeApi:
    """WSGI application over the pools, by physical function name."""

    def __init__(self, pools: Mapping[str, WorkerPool]) -> None:
        """Serve `pools` by name; more may be added to the mapping later."""
        self._pools = pools

    def __call__(self, environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        status, headers, body = self._answer(environ)
        headers += [
            ("Content-Length", str(len(body))),
            ("x-amzn-RequestId", str(uuid.uuid4())),
        ]
        start(f"{int(status)} {status.phrase}", headers)
        return [body]

    def _answer(
        self, environ: Mapping[str, Any]
    ) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
        matched = _PATH.fullmatch(urllib.parse.unquote(environ["PATH_INFO"]))
        if matched is None or environ["REQUEST_METHOD"] != "POST":
            return _error_response(
                HTTPStatus.NOT_FOUND, "UnknownOperationException", "not offered here"
            )
        name = matched["function"].rsplit(":function:", 1)[-1].split(":", 1)[0]
        pool = self._pools.get(name)
        if pool is None:
            return _error_response(
                HTTPStatus.NOT_FOUND,
                "ResourceNotFoundException",
                f"Function not found: {name}",
            )
        payload = environ["wsgi.input"].read() or b"{}"
        is_async = environ.get("HTTP_X_AMZ_INVOCATION_TYPE") == "Event"
        limit = MAX_EVENT_BYTES if is_async else MAX_SYNC_BYTES
        if len(payload) > limit:
            message = f"Request must be smaller than {limit} bytes for the InvokeFunction operation"
            return _error_response(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "RequestTooLargeException", message
            )
        tenant = environ.get("HTTP_X_AMZ_TENANT_ID")
        if fault := _tenant_fault(pool, tenant):
            return _error_response(HTTPStatus.BAD_REQUEST, "InvalidParameterValueException", fault)
        invocation = Invocation(
            payload,
            client_context=_client_context(environ),
            tenant=tenant,
            slot_deadline=lambda: slot_deadline(payload),
        )
        return _invoke_async(pool, invocation) if is_async else _invoke_sync(pool, invocation)


def _invoke_sync(
    pool: WorkerPool, invocation: Invocation
) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
    try:
        answer = pool.invoke(invocation)
    except Throttled:
        return _error_response(
            HTTPStatus.TOO_MANY_REQUESTS, "TooManyRequestsException", "Rate Exceeded."
        )
    headers = [
        ("Content-Type", "application/json"),
        ("X-Amz-Executed-Version", "$LATEST"),
    ]
    if answer.error:
        headers.append(("X-Amz-Function-Error", answer.error))
    return HTTPStatus.OK, headers, answer.payload


def _invoke_async(
    pool: WorkerPool, invocation: Invocation
) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
    def run() -> InvocationAnswer | None:
        try:
            return pool.invoke(invocation)
        except Throttled:
            return None

    threading.Thread(target=run, daemon=True).start()
    return HTTPStatus.ACCEPTED, [], b""


def _tenant_fault(pool: WorkerPool, tenant: str | None) -> str | None:
    """Return the fault of an invocation's tenant id, or None."""
    if tenant is None:
        return "The function needs a tenant id." if pool.function.isolates_tenants else None
    return None if _TENANT.fullmatch(tenant) else "The tenant id is not valid."


def _client_context(environ: Mapping[str, Any]) -> Mapping[str, Any] | None:
    encoded = environ.get("HTTP_X_AMZ_CLIENT_CONTEXT")
    return json.loads(base64.b64decode(encoded)) if encoded else None


def _error_response(
    status: HTTPStatus, kind: str, message: str
) -> tuple[HTTPStatus, list[tuple[str, str]], bytes]:
    body = {"Type": "User", "Message": message, "message": message}
    if status is HTTPStatus.TOO_MANY_REQUESTS:
        body["Reason"] = "ConcurrentInvocationLimitExceeded"
    headers = [("Content-Type", "application/json"), ("x-amzn-errortype", kind)]
    return status, headers, json.dumps(body).encode()
