"""Name server on loopback whose answers may change from one query to the next."""

import socket
from collections.abc import Mapping, Sequence
from socketserver import BaseRequestHandler, UDPServer
from threading import Lock, Thread
from typing import Any, Self, override

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.rdatatype
import dns.resolver
import dns.rrset

# The answers in turn, the last one for ever. Each turn is a few records such as `A 192.0.2.1` or
# `CNAME other.test.`
type DnsAnswers = Sequence[Sequence[str]]

_TIMEOUT_S = 5.0


class DnsServer:
    """Name server of a zone; all other names do not exist."""

    def __init__(self, zone: Mapping[str, DnsAnswers]) -> None:
        self._turns = {name: list(turns) for name, turns in zone.items()}
        self._lock = Lock()
        self._server = UDPServer(("127.0.0.1", 0), self._handler())
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def resolve(self, host: str, port: int) -> Sequence[str]:
        """Return a host's addresses as the system resolver does; raise OSError without any."""
        try:
            found = socket.getaddrinfo(host, port, flags=socket.AI_NUMERICHOST)
        except OSError:
            return self._ask(host)
        return list(dict.fromkeys(str(address[0]) for *_, address in found))

    def _ask(self, host: str) -> Sequence[str]:
        resolver = dns.resolver.Resolver(configure=False)
        resolver.nameservers = ["127.0.0.1"]
        resolver.port = self._server.server_address[1]
        try:
            return list(resolver.resolve_name(host, lifetime=_TIMEOUT_S).addresses())
        except dns.exception.DNSException as error:
            raise OSError(host) from error

    def _answer(self, asked: bytes) -> bytes:
        query = dns.message.from_wire(asked)
        answer = dns.message.make_response(query)
        answer.flags |= dns.flags.AA
        question = query.question[0]
        name, kind = question.name, dns.rdatatype.to_text(question.rdtype)
        while True:
            records = self._records(name, kind)
            if records is None:
                answer.set_rcode(dns.rcode.NXDOMAIN)
                break
            answer.answer += [
                dns.rrset.from_text(name, 0, "IN", of, value)
                for of, value in records
                if of in {kind, "CNAME"}
            ]
            led = [value for of, value in records if of == "CNAME"]
            if not led:
                break
            name = dns.name.from_text(led[0])
        return answer.to_wire()

    def _records(self, name: dns.name.Name, kind: str) -> list[tuple[str, str]] | None:
        with self._lock:
            turns = self._turns.get(name.to_text(omit_final_dot=True).lower())
            if turns is None:
                return None
            # Each look-up queries A and AAAA, and is one turn.
            turn = turns.pop(0) if kind == "A" and len(turns) > 1 else turns[0]
        return [(of, value) for of, _, value in (record.partition(" ") for record in turn)]

    def _handler(self) -> type[BaseRequestHandler]:
        answer = self._answer

        class Handler(BaseRequestHandler):
            @override
            def handle(self) -> None:
                asked: Any
                asked, connection = self.request
                connection.sendto(answer(asked), self.client_address)

        return Handler
