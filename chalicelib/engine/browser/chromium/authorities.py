"""Installation of extra certificate authorities in a browser's NSS database."""

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
    BrowserMissingError,
    UnixAccount,
    shared_copy,
)

log = logging.getLogger(__name__)

_TIMEOUT_S: Final = 30
_LOCK: Final = threading.Lock()
_INSTALLED_HOMES: Final[set[Path]] = set()


def install(ca_bundle: Path, installation: BrowserInstallation, home: Path) -> None:
    """Install the certificates of a PEM file in a browser's home; idempotent for each home.

    The browser reads its NSS database when it first verifies a certificate. The proxy calls this
    just before that, so no start waits for it (decision 15). Failures are logged, not raised.
    """
    with _LOCK:
        if home in _INSTALLED_HOMES:
            return
        _INSTALLED_HOMES.add(home)
        try:
            database = shared_copy(ca_bundle, partial(_write_database, installation.libraries))
            # Written once per bundle, then copied into each home.
            shutil.copytree(database, home / ".pki" / "nssdb")
            _change_owner(home / ".pki", installation.account)
        except (OSError, BrowserMissingError, subprocess.SubprocessError) as error:
            log.warning("authorities of SSL_CERT_FILE not installed: %s", error)


def _write_database(libraries: Path, ca_bundle: Path, folder: Path) -> None:
    # In its own process: a crash of the native libraries must not end this one.
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
