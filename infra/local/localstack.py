"""Starts LocalStack so that it listens on loopback only; run by LocalStack's own Python.

Its IPv4 endpoint ignores the host of GATEWAY_LISTEN (localstack/runtime/server/twisted.py of
2026.3.0) and would offer every stored document to the network.
"""

import functools
import runpy

from twisted.internet import endpoints

if __name__ == "__main__":
    endpoints.TCP4ServerEndpoint = functools.partial(  # type: ignore[misc,assignment,unused-ignore]
        endpoints.TCP4ServerEndpoint, interface="127.0.0.1"
    )
    runpy.run_module("localstack.runtime.main", run_name="__main__")
