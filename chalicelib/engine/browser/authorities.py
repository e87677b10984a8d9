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

from chalicelib.engine.browser import nss
from chalicelib.engine.browser.copies import BrowserMissing, copy_of
from chalicelib.engine.browser.installation import Account, Installation

log = logging.getLogger(__name__)

_MOST_S: Final = 30
_LOCK: Final = threading.Lock()
_SEEN: Final[set[Path]] = set()


def install(bundle: Path, installation: Installation, home: Path) -> None:
    """Put those of a PEM file into a browser's home, once.

    The browser looks for them when it first has to verify somebody. Done just before that, it costs
    a browser's start nothing, and nothing at all where nobody is asked.
    """
    with _LOCK:
        if home in _SEEN:
            return
        _SEEN.add(home)
        try:
            made = copy_of(bundle, partial(_fill, installation.libraries))
            shutil.copytree(made, home / ".pki" / "nssdb")
            _hand_over(home / ".pki", installation.account)
        except (OSError, BrowserMissing, subprocess.SubprocessError) as error:
            log.warning("pages do not trust the authorities in SSL_CERT_FILE: %s", error)


def _fill(libraries: Path, bundle: Path, folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-I", "-S", nss.__file__, str(libraries), str(bundle), str(folder)],
        env={"LD_LIBRARY_PATH": str(libraries)},
        timeout=_MOST_S,
        check=True,
        capture_output=True,
    )


def _hand_over(folder: Path, account: Account | None) -> None:
    if account is not None:
        for path in (folder, *folder.rglob("*")):
            os.chown(path, account.uid, account.gid)
