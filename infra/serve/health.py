"""`python -m infra.serve.health`: whether the server of a data folder works, for containers.

The status is 0 if it does. The folder is that of PLATEN_DATA.
"""

import json
import os
import sys
import urllib.request
from pathlib import Path
from typing import Final

_TIMEOUT_S: Final = 8.0


def main() -> int:
    """Ask the server, and return the exit status."""
    endpoints = Path(os.environ["PLATEN_DATA"], "endpoints.json")
    try:
        own_url = json.loads(endpoints.read_text(encoding="utf-8"))["own_url"]
        with urllib.request.urlopen(f"{own_url}/healthz", timeout=_TIMEOUT_S):  # noqa: S310 -- loopback
            return 0
    except (OSError, ValueError) as fault:
        sys.stderr.write(f"unhealthy: {fault}\n")
        return 1


if __name__ == "__main__":
    sys.exit(main())
