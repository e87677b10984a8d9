"""Start of the object store on a port of its own, for the parts of this machine's stack."""

from pathlib import Path
from typing import Final, NamedTuple

from infra.local.access.hosts import LOOPBACK_HOSTS, OwnHosts
from infra.local.access.keys import AccessKey
from infra.local.objects.server import ObjectStore
from infra.local.server import WsgiServer

_THREADS: Final = 32
# One upload without parts is no larger in S3 either.
_MAX_BODY_BYTES: Final = 5 << 30


class RunningObjectStore(NamedTuple):
    """Object store, and the server that answers for it."""

    store: ObjectStore
    server: WsgiServer


def start_object_store(
    root: Path, key: AccessKey, hosts: OwnHosts = LOOPBACK_HOSTS
) -> RunningObjectStore:
    """Serve the objects of a folder to callers that sign with `key`, for requests to `hosts`."""
    store = ObjectStore(root, key)
    server = WsgiServer(store, threads=_THREADS, hosts=hosts, max_body_bytes=_MAX_BODY_BYTES)
    server.start()
    return RunningObjectStore(store, server)
