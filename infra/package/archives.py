"""The archives that the template names: the code of all functions once for each kind, and layers.

What sets the kinds apart is what is installed beside the code, so that only the function that
needs heavy packages carries them.
"""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from infra.package.archive import tree, write
from infra.package.errors import PackageError
from infra.package.requirements import CACHE, compile_in, installed
from infra.package.sam import copy_sources
from infra.setup.step import INSTALLED
from infra.template import ROOT

FUNCTION: Final = "AWS::Serverless::Function"
LAYER: Final = "AWS::Serverless::LayerVersion"
# Archive and the lock file of what lies in it beside the code.
CODE: Final[Mapping[str, Path]] = {
    "api.zip": ROOT / "requirements.txt",
    "render.zip": ROOT / "infra" / "package" / "requirements-render.txt",
    "small.zip": ROOT / "infra" / "package" / "requirements-small.txt",
}
# Archive, the installed folder that it is made from, and what of it is taken.
LAYERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    # As its publisher compressed them: unpacked, a function with them would be too large.
    "chromium-layer.zip": ("chromium", ("chromium.br", "al2023.tar.br")),
    "fonts-layer.zip": ("fonts", ("fonts.conf", "families.json", "cache/*", "ttf/*", "licenses/*")),
    "validators-layer.zip": (
        "validators",
        ("manifest.json", "plan.json", "lib/*", "proof/*", "rules/**/*", "runtime/**/*"),
    ),
}
CODE_FIELDS: Final = {FUNCTION: "CodeUri", LAYER: "ContentUri"}


def archive_of(resource: Mapping[str, Any]) -> str | None:
    """Return the file name of the archive that a resource is made from, if it is from one."""
    field = CODE_FIELDS.get(resource["Type"])
    return str(resource["Properties"][field]).removeprefix("./") if field else None


def write_archives(folder: Path, template: Mapping[str, Any], cache: Path = CACHE) -> list[Path]:
    """Write every archive that a template names into `folder`; raises PackageError."""
    wanted = sorted({name for r in template["Resources"].values() if (name := archive_of(r))})
    if unknown := [name for name in wanted if name not in CODE and name not in LAYERS]:
        known = ", ".join([*CODE, *LAYERS])
        raise PackageError(f"nothing makes {', '.join(unknown)}; there are {known}")
    with tempfile.TemporaryDirectory() as scratch:
        sources = Path(scratch) / "sources"
        copy_sources(sources)
        compile_in(sources)
        for name in wanted:
            files = _layer(name) if name in LAYERS else _code(CODE[name], sources, cache)
            write(folder / name, files)
    return [folder / name for name in wanted]


def _code(lock: Path, sources: Path, cache: Path) -> dict[str, Path]:
    return {**tree(installed(lock, cache)), **tree(sources)}


def _layer(archive: str) -> dict[str, Path]:
    name, patterns = LAYERS[archive]
    folder = INSTALLED / name
    files: dict[str, Path] = {}
    for pattern in patterns:
        found = [path for path in folder.glob(pattern) if path.is_file()]
        if not found:
            raise PackageError(f"{folder} holds no {pattern}; install it with: make setup")
        files |= {f"{name}/{path.relative_to(folder).as_posix()}": path for path in found}
    return files
