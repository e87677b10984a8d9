"""ASGI middleware in front of MiniStack: it refuses unsigned requests and foreign Host headers.

Answers have the CORS headers that the caller of the middleware chooses, and no others.

Run by MiniStack's Python.
"""

import datetime as dt
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from infra.local.access.hosts import OwnHosts
from infra.local.access.keys import AccessKey
from infra.local.access.signatures import (
    ReceivedRequest,
    UnsignedError,
    check_signature,
    needs_body,
)

type Message = dict[str, Any]
type Receive = Callable[[], Awaitable[Message]]
type Send = Callable[[Message], Awaitable[None]]
type App = Callable[[Message, Receive, Send], Awaitable[None]]
# Path and method of a request, and its headers: headers of CORS for the answer, empty for none.
type Cors = Callable[[str, str, Mapping[str, str]], Mapping[str, str]]

# Messages and secrets are far smaller; files are not read here.
MAX_BODY_BYTES: Final = 8 * 1024 * 1024
# A form of an upload is signed by its policy, which is checked where the form is read.
_BUCKET: Final = re.compile("/[a-z0-9.-]{3,63}/?")
_FORM: Final = "multipart/form-data"


class SignedOnly:
    """ASGI application that passes signed requests on to another one."""

    def __init__(self, app: App, key: AccessKey, cors: Cors, hosts: OwnHosts) -> None:
        """Let requests to `hosts` that are signed with `key` reach `app`."""
        self._app = app
        self._key = key
        self._cors = cors
        self._hosts = hosts

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Answer one request, or pass on an event of the server's life."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _answer(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = _headers(scope["headers"])
        method, path = scope["method"], scope["path"]
        if not self._hosts.has(headers.get("host")):
            await _refuse(send, HTTPStatus.MISDIRECTED_REQUEST, self._hosts.refusal)
            return
        cors = self._cors(path, method, headers)
        if method == "OPTIONS":
            await _refuse(send, HTTPStatus.OK if cors else HTTPStatus.FORBIDDEN, "", cors)
            return
        answer = _AnswerHeaders(send, cors)
        if _is_form(scope, headers):
            await self._app(scope, receive, answer)
            return
        query = scope["query_string"].decode("latin-1")
        try:
            body = await _read(receive) if needs_body(headers, query) else None
            raw_path = scope["raw_path"].decode("latin-1")
            request = ReceivedRequest(method, raw_path, query, headers, body or b"")
            check_signature(request, self._key, dt.datetime.now(dt.UTC))
        except UnsignedError as fault:
            await _refuse(send, HTTPStatus.FORBIDDEN, f"{fault}\n", cors)
            return
        await self._app(scope, receive if body is None else _Replay(body, receive), answer)


class _AnswerHeaders:
    """`send` of an application, with the headers of CORS replaced; no answer is guessed at."""

    def __init__(self, send: Send, cors: Mapping[str, str]) -> None:
        self._send = send
        self._added = [*_as_pairs(cors), (b"x-content-type-options", b"nosniff")]

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [
                pair
                for pair in message.get("headers", ())
                if not pair[0].lower().startswith(b"access-control-")
            ]
            message = {**message, "headers": [*kept, *self._added]}
        await self._send(message)


class _Replay:
    """`receive` that gives a body that was read, and then all further messages."""

    def __init__(self, body: bytes, receive: Receive) -> None:
        self._body: bytes | None = body
        self._receive = receive

    async def __call__(self) -> Message:
        if self._body is None:
            return await self._receive()
        body, self._body = self._body, None
        return {"type": "http.request", "body": body, "more_body": False}


async def _read(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] != "http.request":
            raise UnsignedError("the body is incomplete")
        body += message.get("body", b"")
        if len(body) > MAX_BODY_BYTES:
            raise UnsignedError(f"the body is larger than {MAX_BODY_BYTES} bytes")
        if not message.get("more_body"):
            return bytes(body)


def _headers(pairs: Iterable[tuple[bytes, bytes]]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for raw_name, raw_value in pairs:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]},{value}" if name in headers else value
    return headers


def _is_form(scope: Message, headers: Mapping[str, str]) -> bool:
    """Tell whether this is an upload by form, and nothing that another header makes of it."""
    return (
        scope["method"] == "POST"
        and headers.get("content-type", "").startswith(_FORM)
        and not scope["query_string"]
        and _BUCKET.fullmatch(scope["path"]) is not None
        and "authorization" not in headers
        and not any(name.startswith("x-amz-") for name in headers)
    )


async def _refuse(
    send: Send, status: HTTPStatus, text: str, headers: Mapping[str, str] | None = None
) -> None:
    body = text.encode()
    pairs = [
        (b"content-type", b"text/plain; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"x-content-type-options", b"nosniff"),
        *_as_pairs(headers or {}),
    ]
    await send({"type": "http.response.start", "status": int(status), "headers": pairs})
    await send({"type": "http.response.body", "body": body})


def _as_pairs(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode(), value.encode()) for name, value in headers.items()]
