"""Start of the object store on a port of its own, for the parts of this machine's stack."""

from pathlib import Path
from typing import Final

from infra.local.access.hosts import LOOPBACK_HOSTS, OwnHosts
from infra.local.access.keys import AccessKey
from infra.local.objects.server import ObjectStore
from infra.local.server import WsgiServer

_THREADS: Final = 32
# One upload without parts is no larger in S3 either.
_MAX_BODY_BYTES: Final = 5 << 30


def start_object_store(root: Path, key: AccessKey, hosts: OwnHosts = LOOPBACK_HOSTS) -> WsgiServer:
    """Serve the objects of a folder to whoever signs with `key`, for requests to `hosts`."""
    store = ObjectStore(root, key)
    server = WsgiServer(store, threads=_THREADS, hosts=hosts, max_body_bytes=_MAX_BODY_BYTES)
    server.start()
    return server
