"""Build of the servers of the tests that are written in Go: of storage, and a proxy.

`python -m infra.setup.go_servers TARGET_DIR`
"""

import sys
from pathlib import Path
from typing import Final

from infra.setup.go_programs import GoProgram, build_program, module_folder
from layers.npm import main

SERVERS: Final = (
    GoProgram(
        "caddy",
        "github.com/caddyserver/caddy/v2",
        "v2.11.9",
        "h1:bhZtcRKQOq0fuLvEgCdPYvUxXyGn9kzjG4lh2332DTE=",
        "./cmd/caddy",
    ),
    GoProgram(
        "fake-gcs-server",
        "github.com/fsouza/fake-gcs-server",
        "v1.56.1",
        "h1:K03sAvbLvDz4hAynpCCUqnNRp+ik9JFSvHbkD/wTPOU=",
        ".",
    ),
    GoProgram(
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
        build_program(server, module_folder(server), target)


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
