"""HTTP/1.1 connections that count their sent bytes, under one budget of bytes and time."""

import contextlib
import select
import ssl
import time
from collections.abc import Iterable, Iterator
from http import HTTPStatus
from socket import socket
from typing import Final, override

import h11
import httpx

from chalicelib.engine.ports import HostUnreachableError, SentState

# Budget for all response heads of a request, those of redirects and of `100 Continue` included.
_MAX_HEAD_BYTES: Final = 1_000_000
# For one response head, or one line of a chunked body.
_MAX_EVENT_BYTES: Final = 100 * 1024
_READ_BYTES: Final = 64 * 1024
_WOULD_BLOCK: Final = (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError)
# Faults of certificates, by OpenSSL's codes (X509_V_ERR_…).
_CERTIFICATE_FAULTS: Final = {
    9: "has a certificate that is not valid yet",
    10: "has a certificate that has expired",
    18: "has a certificate that it signed itself: one of a public authority is needed",
    19: "has a certificate of an authority that is not trusted",
    20: "has a certificate of an authority that is not trusted, or leaves out intermediate ones",
    21: "has a certificate of an authority that is not trusted, or leaves out intermediate ones",
    62: "has a certificate for another name",
    64: "has a certificate for another address",
}


type _Event = h11.Event | type[h11.NEED_DATA | h11.PAUSED]


class ConnectionLostError(Exception):
    """The other side ended or reset the connection, or TLS could not be agreed on.

    Its text goes on after the name of the host.
    """


class DeadlineError(Exception):
    """The time of a request is over."""


class _RefusedError(Exception):
    """The server has answered, with no success, before it had the whole request."""


class RequestBudget:
    """Bytes and time that one request may take, over all its connections, and its sent bytes."""

    def __init__(self, max_bytes: int, timeout_s: float) -> None:
        """Start the clock."""
        self.sent = SentState.NOTHING
        self.timeout_s = timeout_s
        self._deadline = time.monotonic() + timeout_s
        # Twice the limit: chunked transfer encoding can double the size of a body.
        self._limit = self._remaining_bytes = 2 * max_bytes + _MAX_HEAD_BYTES

    def remaining_s(self) -> float:
        """Return the time left in seconds; raises DeadlineError after the deadline."""
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise DeadlineError
        return remaining

    def consume(self, count: int, host: str) -> None:
        """Count bytes that were read; raises HostUnreachableError beyond the limit."""
        self._remaining_bytes -= count
        if self._remaining_bytes < 0:
            raise HostUnreachableError(
                f"{host} sent more than {self._limit} bytes, and its answer is not complete"
            )


class HttpConnection:
    """One connection to a checked address; the requests on it follow each other."""

    def __init__(self, connection: socket, host: str, budget: RequestBudget) -> None:
        """Take over a connected socket; `host` is for TLS and messages."""
        self._socket = connection
        self._host = host
        self._h11 = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_EVENT_BYTES)
        self._budget = budget
        self._has_ended = False
        self._early_head: h11.Response | None = None
        self.has_received = False

    def start_tls(self, context: ssl.SSLContext) -> None:
        """Agree on TLS and verify the certificate; closes the connection if that fails.

        Raises ConnectionLostError or DeadlineError.
        """
        try:
            self._socket.settimeout(self._budget.remaining_s())
            self._socket = context.wrap_socket(self._socket, server_hostname=self._host)
        except TimeoutError as error:
            self.close()
            raise DeadlineError from error
        # A host that no certificate can name raises ValueError.
        except (OSError, ValueError) as error:
            self.close()
            raise ConnectionLostError(tls_fault(error)) from error
        except BaseException:
            self.close()
            raise

    def send(self, request: httpx.Request, budget: RequestBudget) -> httpx.Response:
        """Send a request and read the head of its response; its body is read from the response.

        Raises ConnectionLostError, DeadlineError, HostUnreachableError, h11.ProtocolError
        and the exceptions of the request's body; the connection is closed then.
        """
        self._budget = budget
        self.has_received = False
        try:
            # A server may answer, and end the connection, before it has read the whole request.
            # What it has answered is read next, and tells more than the lost connection.
            with contextlib.suppress(ConnectionLostError, _RefusedError):
                self._write_request(request)
            head = self._read_head()
        except BaseException:
            self.close()
            raise
        headers = [*head.headers.raw_items()]
        return httpx.Response(
            head.status_code, headers=headers, stream=_ResponseBody(self), request=request
        )

    def body(self) -> Iterator[bytes]:
        """Yield the body of the response as it arrives."""
        while not isinstance(event := self._next_event(), h11.EndOfMessage):
            assert isinstance(event, h11.Data)
            yield bytes(event.data)

    @property
    def is_complete(self) -> bool:
        """Tell whether request and response are complete, and neither side ends the connection."""
        is_done = self._h11.our_state is h11.DONE and self._h11.their_state is h11.DONE
        # Surplus bytes would be taken for the next response.
        return is_done and self._h11.trailing_data == (b"", False)

    def start_next(self) -> bool:
        """Prepare a complete connection for the next request; return False if it has ended.

        A connection on which bytes have arrived since has ended, too: nobody requested them.
        """
        assert self.is_complete
        if self._is_readable():
            return False
        self._h11.start_next_cycle()
        return True

    def close(self) -> None:
        """Close the socket; may be repeated."""
        self._socket.close()

    def _is_readable(self) -> bool:
        if isinstance(self._socket, ssl.SSLSocket) and self._socket.pending():
            return True
        poll = select.poll()
        poll.register(self._socket, select.POLLIN)
        return bool(poll.poll(0))

    def _write_request(self, request: httpx.Request) -> None:
        head = h11.Request(
            method=request.method, target=request.url.raw_path, headers=request.headers.raw
        )
        self._write(self._h11.send(head))
        assert isinstance(request.stream, Iterable)
        for piece in request.stream:
            self._write(self._h11.send(h11.Data(piece)))
        self._write(self._h11.send(h11.EndOfMessage()))
        self._budget.sent = SentState.ALL

    def _write(self, content: bytes | None) -> None:
        # Without blocking: a server may refuse a request and leave the rest of it unread.
        self._socket.settimeout(0)
        left = memoryview(content or b"")
        while left:
            if self._wait_until_writable():
                self._receive_early()
            try:
                count = self._socket.send(left)
            except _WOULD_BLOCK:
                continue
            except OSError as error:
                raise self._loss() from error
            left = left[count:]
            if self._budget.sent is SentState.NOTHING:
                self._budget.sent = SentState.PART

    def _wait_until_writable(self) -> bool:
        """Wait until bytes can be sent or have come; tell whether some have come."""
        wanted = select.POLLOUT | (0 if self._early_head else select.POLLIN)
        poll = select.poll()
        poll.register(self._socket, wanted)
        ready = poll.poll(self._budget.remaining_s() * 1_000)
        if not ready:
            raise DeadlineError
        return bool(ready[0][1] & select.POLLIN)

    def _receive_early(self) -> None:
        """Read an answer that has come before the request was sent; raises _RefusedError."""
        try:
            self._h11.receive_data(self._receive())
        except _WOULD_BLOCK:
            # Of TLS itself, such as a ticket of its session.
            return
        except OSError as error:
            raise self._loss() from error
        while isinstance(event := self._parsed_event(), h11.InformationalResponse):
            pass
        if isinstance(event, h11.Response):
            self._early_head = event
            if event.status_code >= HTTPStatus.MULTIPLE_CHOICES:
                raise _RefusedError

    def _read_head(self) -> h11.Response:
        if self._early_head is not None:
            head, self._early_head = self._early_head, None
            return head
        # What precedes it are 1xx responses; h11 refuses a 101, for which nothing here asks.
        while not isinstance(event := self._next_event(), h11.Response):
            assert isinstance(event, h11.InformationalResponse)
        return event

    def _next_event(self) -> _Event:
        while (event := self._parsed_event()) is h11.NEED_DATA:
            self._h11.receive_data(self._read())
        return event

    def _parsed_event(self) -> _Event:
        try:
            return self._h11.next_event()
        except h11.RemoteProtocolError as error:
            # h11 takes the end of a connection within a response for a fault of the protocol.
            if self._has_ended:
                raise self._loss() from error
            if error.error_status_hint == HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE:
                raise HostUnreachableError(
                    f"{self._host} answered with more than {_MAX_EVENT_BYTES} bytes of headers"
                ) from error
            raise

    def _read(self) -> bytes:
        self._socket.settimeout(self._budget.remaining_s())
        try:
            return self._receive()
        except TimeoutError as error:
            raise DeadlineError from error
        except OSError as error:
            raise self._loss() from error

    def _receive(self) -> bytes:
        received = self._socket.recv(_READ_BYTES)
        self._has_ended = not received
        self.has_received = self.has_received or bool(received)
        self._budget.consume(len(received), self._host)
        return received

    def _loss(self) -> ConnectionLostError:
        when = "before its answer was complete" if self.has_received else "without an answer"
        return ConnectionLostError(f"ended the connection {when}")


class _ResponseBody(httpx.SyncByteStream):
    def __init__(self, connection: HttpConnection) -> None:
        self._connection = connection

    @override
    def __iter__(self) -> Iterator[bytes]:
        return self._connection.body()


def tls_fault(error: Exception) -> str:
    """Return why TLS could not be agreed on, as it goes on after the name of the host."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return _CERTIFICATE_FAULTS.get(error.verify_code, "has a certificate that is not valid")
    if isinstance(error, ssl.SSLEOFError | ssl.SSLZeroReturnError | ConnectionError):
        return "ended the connection before TLS was agreed on"
    return "did not agree on TLS 1.2 or 1.3"
