"""Start of LocalStack on loopback only and in its own folder; run by LocalStack's Python.

Two faults of LocalStack 2026.3.0 that no setting changes are patched. Its IPv4 endpoint ignores the
host of GATEWAY_LISTEN (localstack/runtime/server/twisted.py) and would offer every stored document
to the network. Large objects are stored in one folder of the machine
(localstack/services/s3/provider.py), which the stacks of two checkouts or users would share.
"""

import functools
import runpy
import tempfile
from pathlib import Path

from localstack.services.s3 import provider
from twisted.internet import endpoints

if __name__ == "__main__":
    endpoints.TCP4ServerEndpoint = functools.partial(  # type: ignore[misc,assignment,unused-ignore]
        endpoints.TCP4ServerEndpoint, interface="127.0.0.1"
    )
    provider.DEFAULT_S3_TMP_DIR = str(Path(tempfile.gettempdir()) / "s3")
    runpy.run_module("localstack.runtime.main", run_name="__main__")
