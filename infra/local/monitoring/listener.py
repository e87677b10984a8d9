"""Listener of `/metrics`, on an address of its own that PLATEN_METRICS names; off by default."""

import os
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server

from infra.local.console import Console
from infra.local.monitoring.collectors import MeasuredStack, StackCollector
from infra.local.monitoring.metrics import CountedMetrics

if TYPE_CHECKING:
    from wsgiref.simple_server import WSGIServer

VARIABLE: Final = "PLATEN_METRICS"
# The port that OpenTelemetry reserves for exporters of this kind.
_EXAMPLE: Final = "127.0.0.1:9464"
_ADDRESS: Final = re.compile(
    r"(?:\[(?P<ip6>[0-9A-Fa-f:.]+)\]|(?P<host>[A-Za-z0-9.-]+)):(?P<port>\d{1,5})"
)
_MAX_PORT: Final = 65_535


class ListenerError(Exception):
    """The address cannot be used; the message names the variable and says what is wrong."""


class ListenAddress(NamedTuple):
    """Host name or IP address, and port, to listen at."""

    host: str
    port: int


def metrics_address(variables: Mapping[str, str] = os.environ) -> ListenAddress | None:
    """Return the address that PLATEN_METRICS names, or None; raises ListenerError."""
    value = variables.get(VARIABLE, "")
    if not value:
        return None
    found = _ADDRESS.fullmatch(value)
    if found is None or not 0 < int(found["port"]) <= _MAX_PORT:
        raise ListenerError(f"{VARIABLE}={value} is no address and port like {_EXAMPLE}")
    return ListenAddress(found["ip6"] or found["host"], int(found["port"]))


class MetricsListener:
    """Server of `/metrics` in threads of its own; requests need no key, so choose its address."""

    def __init__(self, address: ListenAddress, console: Console, stack: MeasuredStack) -> None:
        """Follow the console and start to answer; raises ListenerError where the port is taken."""
        registry = CollectorRegistry(auto_describe=False)
        try:
            server, _ = start_http_server(address.port, address.host, registry)
        except OSError as error:
            reason = error.strerror or str(error)
            raise ListenerError(
                f"{VARIABLE}={address.host}:{address.port}: {reason}; name another address"
            ) from error
        self._server: WSGIServer = server
        ProcessCollector(registry=registry)
        StackCollector(stack, registry)
        console.observers.append(CountedMetrics(registry))

    def close(self) -> None:
        """Stop to answer."""
        self._server.shutdown()
        self._server.server_close()
