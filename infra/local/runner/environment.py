"""Environment variables of a worker, as Lambda sets them."""

import os
from collections.abc import Mapping
from typing import Final

from infra.local.functions import LambdaFunction
from infra.local.paths import INSTALL_DIR
from infra.template import ROOT

REGION: Final = "us-east-1"
# Only these and PLATEN_* come from the stack's own environment.
_INHERITED_VARIABLES: Final = (
    "PATH",
    "HOME",
    "LANG",
    "LD_LIBRARY_PATH",
    "TMPDIR",
    "SSL_CERT_FILE",
    "VIRTUAL_ENV",
)

# On Lambda the layers are unpacked where the functions look for them by default.
_LAYERS: Final = {
    "PLATEN_CHROMIUM_DIR": str(INSTALL_DIR / "chromium"),
    "PLATEN_FONTS_DIR": str(INSTALL_DIR / "fonts"),
    "PLATEN_VALIDATORS_DIR": str(INSTALL_DIR / "validators"),
    "PLATEN_PAGES_DIR": str(INSTALL_DIR / "pages"),
    "PLATEN_GUIDES_DIR": str(INSTALL_DIR / "guides"),
    "PLATEN_CONSOLE_DIR": str(INSTALL_DIR / "console"),
}
# By default glibc keeps freed memory, in an arena of each thread, and large blocks too once some
# were freed (mallopt(3)).
_THREADS: Final = {
    "RUNNER_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "MALLOC_MMAP_THRESHOLD_": "131072",
    "MALLOC_TRIM_THRESHOLD_": "131072",
}


def worker_environment(function: LambdaFunction, endpoints: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a function's processes; the template wins over the user."""
    inherited = {
        name: value
        for name, value in os.environ.items()
        if name in _INHERITED_VARIABLES or name.startswith("PLATEN_")
    }
    return {
        **_LAYERS,
        **inherited,
        **function.environment,
        # A function without rights gets neither endpoints nor key.
        **(endpoints if function.has_rights else {}),
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_LAMBDA_FUNCTION_NAME": function.name,
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "POWERTOOLS_SERVICE_NAME": function.logical_id,
        "PYTHONPATH": str(ROOT),
        "PYTHONUNBUFFERED": "1",
        **(_THREADS if function.serves_in_threads else {}),
    }
