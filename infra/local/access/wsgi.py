"""WSGI middleware of the stack's own servers: checks of the Host header and of signatures."""

import datetime as dt
import io
from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any

from infra.local.access import hosts
from infra.local.access.keys import AccessKey
from infra.local.access.signatures import ReceivedRequest, UnsignedError, check_signature

type StartResponse = Callable[[str, list[tuple[str, str]]], Any]
type Application = Callable[[Mapping[str, Any], StartResponse], Iterable[bytes]]


def own_host_only(
    application: Application, own_names: hosts.OwnNames = hosts.LOOPBACK
) -> Application:
    """Return an application that refuses requests for other hosts than its own."""

    def answer(environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        if own_names.include(environ.get("HTTP_HOST")):
            return application(environ, start)
        return _refusal(start, HTTPStatus.MISDIRECTED_REQUEST, own_names.refusal)

    return answer


def signed_only(application: Application, key: AccessKey) -> Application:
    """Return an application that refuses requests that are not signed with the key."""

    def answer(environ: Mapping[str, Any], start: StartResponse) -> Iterable[bytes]:
        body = environ["wsgi.input"].read()
        path, _, query = str(environ["REQUEST_URI"]).partition("?")
        headers = {
            name.removeprefix("HTTP_").replace("_", "-").lower(): value
            for name, value in environ.items()
            if name.startswith("HTTP_") or name in {"CONTENT_TYPE", "CONTENT_LENGTH"}
        }
        request = ReceivedRequest(environ["REQUEST_METHOD"], path, query, headers, body)
        try:
            check_signature(request, key, dt.datetime.now(dt.UTC))
        except UnsignedError as fault:
            return _refusal(start, HTTPStatus.FORBIDDEN, f"{fault}\n")
        return application({**environ, "wsgi.input": io.BytesIO(body)}, start)

    return answer


def _refusal(start: StartResponse, status: HTTPStatus, text: str) -> list[bytes]:
    body = text.encode()
    headers = [
        ("Content-Type", "text/plain; charset=utf-8"),
        ("Content-Length", str(len(body))),
        ("X-Content-Type-Options", "nosniff"),
    ]
    start(f"{int(status)} {status.phrase}", headers)
    return [body]
