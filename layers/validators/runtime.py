"""Makes the Java runtime of the layer: the few modules that the validators use."""

import re
import shutil
from pathlib import Path
from typing import Final

from layers.validators.tools import run

_MODULES: Final = (
    "java.base",
    "java.desktop",
    "java.logging",
    "java.management",
    "java.naming",
    "java.sql",
    "java.xml",
    "jdk.unsupported",
)
# Windows and sound: they alone would need the libraries of a desktop.
_UNWANTED: Final = ("libawt_xawt.so", "libjawt.so", "libjsound.so", "libsplashscreen.so")
# What a distribution's JDK takes from its system and a bare one does not have. The libraries of
# C and C++ stay those of the system: theirs is the one part that must not be newer than it.
_CARRIED: Final = ("liblcms2.so", "libjpeg.so")
_LINKED: Final = re.compile(r"^\s*(\S+) => (/\S+)", re.MULTILINE)


def link(folder: Path) -> None:
    """Make the runtime in `folder`."""
    options = ["--compress=2", "--strip-java-debug-attributes", "--no-header-files"]
    modules = ",".join(_MODULES)
    run(["jlink", *options, "--no-man-pages", "--add-modules", modules, "--output", str(folder)])
    for name in _UNWANTED:
        (folder / "lib" / name).unlink(missing_ok=True)
    _carry(folder / "lib")


def _carry(lib: Path) -> None:
    for library in list(lib.rglob("*.so")):
        for name, found in _LINKED.findall(run(["ldd", str(library)])):
            outside = not Path(found).resolve().is_relative_to(lib.resolve())
            if name.startswith(_CARRIED) and outside:
                shutil.copy(Path(found).resolve(), lib / name)
