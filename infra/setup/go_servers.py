"""Build of the servers of the tests that are written in Go: of storage, and a proxy.

`python -m infra.setup.go_servers TARGET_DIR`

Each module is checked by its hash, and pins its dependencies by its own go.sum.
"""

import json
import sys
from pathlib import Path
from typing import Final, NamedTuple

from layers.npm import main
from layers.running import LayerError, run


class GoServer(NamedTuple):
    """Module with the hash of its files, and the package in it that is the server."""

    name: str
    module: str
    version: str
    sum: str
    package: str


SERVERS: Final = (
    GoServer(
        "caddy",
        "github.com/caddyserver/caddy/v2",
        "v2.11.9",
        "h1:bhZtcRKQOq0fuLvEgCdPYvUxXyGn9kzjG4lh2332DTE=",
        "./cmd/caddy",
    ),
    GoServer(
        "fake-gcs-server",
        "github.com/fsouza/fake-gcs-server",
        "v1.56.1",
        "h1:K03sAvbLvDz4hAynpCCUqnNRp+ik9JFSvHbkD/wTPOU=",
        ".",
    ),
    GoServer(
        "versitygw",
        "github.com/versity/versitygw",
        "v1.8.0",
        "h1:au+wI+aybno/STsQiSm35Uu6Q6iK5MWReQxgO6SEMFc=",
        "./cmd/versitygw",
    ),
)


def build(target: Path) -> None:
    """Create the executables `target/<name>`; idempotent."""
    # One after the other: the compiler itself uses all cores.
    for server in SERVERS:
        _build(server, target / server.name)


def _build(server: GoServer, target: Path) -> None:
    pin = f"{server.module}@{server.version}"
    module = json.loads(run(["go", "mod", "download", "-json", pin]))
    if module["Sum"] != server.sum:
        message = f"{pin} is not the pinned module: {module['Sum']} instead of {server.sum}"
        raise LayerError(message)
    # `go install` would not look at the module's go.sum.
    command = ["go", "build", "-C", module["Dir"], "-mod=readonly", "-trimpath", "-buildvcs=false"]
    run([*command, "-ldflags=-s -w", "-o", str(target), server.package])


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
