"""Has a browser trust the authorities that all else here trusts, beside its own."""

import logging
import os
import shutil
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path
from typing import Final

from chalicelib.engine.browser.chromium import nss_database
from chalicelib.engine.browser.chromium.installation import (
    BrowserInstallation,
    BrowserMissing,
    UnixAccount,
    shared_copy,
)

log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 30
_LOCK: Final = threading.Lock()
_INSTALLED_HOMES: Final[set[Path]] = set()


def install(ca_bundle: Path, installation: BrowserInstallation, home: Path) -> None:
    """Put those of a PEM file into a browser's home, once.

    The browser looks for them when it first has to verify somebody. Done just before that, it costs
    a browser's start nothing, and nothing at all where nobody is asked.
    """
    with _LOCK:
        if home in _INSTALLED_HOMES:
            return
        _INSTALLED_HOMES.add(home)
        try:
            made = shared_copy(ca_bundle, partial(_write_database, installation.libraries))
            shutil.copytree(made, home / ".pki" / "nssdb")
            _change_owner(home / ".pki", installation.account)
        except (OSError, BrowserMissing, subprocess.SubprocessError) as error:
            log.warning("pages do not trust the authorities in SSL_CERT_FILE: %s", error)


def _write_database(libraries: Path, ca_bundle: Path, folder: Path) -> None:
    subprocess.run(
        [
            sys.executable,
            "-I",
            "-S",
            nss_database.__file__,
            str(libraries),
            str(ca_bundle),
            str(folder),
        ],
        env={"LD_LIBRARY_PATH": str(libraries)},
        timeout=_TIMEOUT_S,
        check=True,
        capture_output=True,
    )


def _change_owner(folder: Path, account: UnixAccount | None) -> None:
    if account is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, account.uid, account.gid)
