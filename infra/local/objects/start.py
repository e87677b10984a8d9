"""Start of the object store on a port of its own, for the parts of this machine's stack."""

from pathlib import Path
from typing import Final, NamedTuple

from infra.local.access.keys import AccessKey
from infra.local.objects.server import ObjectStore
from infra.local.server import Bodies, WsgiServer

_THREADS: Final = 32
# One upload without parts is no larger in S3 either.
_BODIES: Final = Bodies(max_bytes=5 << 30, spool_bytes=1 << 20)


class RunningObjectStore(NamedTuple):
    """Object store, and the server that answers for it."""

    store: ObjectStore
    server: WsgiServer


def start_object_store(root: Path, key: AccessKey) -> RunningObjectStore:
    """Serve the objects of a folder to callers that sign with `key`."""
    store = ObjectStore(root, key)
    server = WsgiServer(store, threads=_THREADS, bodies=_BODIES)
    server.start()
    return RunningObjectStore(store, server)
