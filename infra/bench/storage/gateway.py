"""S3 store of the benchmark of uploads."""

import contextlib
import os
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Final, Self

from infra.local.paths import free_port
from infra.setup.steps import STORES_DIR

BUCKET: Final = "uploads"
REGION: Final = "eu-central-1"
KEY, SECRET = "bench", "bench-secret"
_START_TIMEOUT_S: Final = 10.0


class StoreGateway:
    """Store over a folder, which checks every signature (versitygw), inside the block."""

    def __init__(self, folder: Path) -> None:
        """Choose the port, by which the store is known before it runs."""
        self._port = free_port()
        self._folder = folder
        self.url = f"http://127.0.0.1:{self._port}"
        self.egress_exemption = f"127.0.0.1/32:{self._port}"

    def __enter__(self) -> Self:
        """Start the store, with a bucket for the uploads."""
        self.path("").mkdir(parents=True)
        program = STORES_DIR / "versitygw"
        assert program.exists(), f"{program} is missing; install it by: make test"
        variables = {"ROOT_ACCESS_KEY": KEY, "ROOT_SECRET_KEY": SECRET, "VGW_REGION": REGION}
        address = f"127.0.0.1:{self._port}"
        arguments = ["--port", address, "--keep-alive", "--quiet", "posix", str(self._folder)]
        self._process = subprocess.Popen(
            [str(program), *arguments],
            env={**os.environ, **variables},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        """End the store."""
        self._process.kill()
        self._process.wait()

    def path(self, key: str) -> Path:
        """Return the file of an object of the bucket."""
        return self._folder / BUCKET / key

    @property
    def boto3_options(self) -> dict[str, Any]:
        """Return the options of a client."""
        return {
            "endpoint_url": self.url,
            "region_name": REGION,
            "aws_access_key_id": KEY,
            "aws_secret_access_key": SECRET,
        }

    def _wait(self) -> None:
        deadline = time.monotonic() + _START_TIMEOUT_S
        while time.monotonic() < deadline:
            with (
                contextlib.suppress(OSError),
                socket.create_connection(("127.0.0.1", self._port), 1),
            ):
                return
            time.sleep(0.02)
        message = "the store does not start"
        raise AssertionError(message)
