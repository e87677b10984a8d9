"""Builds everything that is deployed into one folder: the template and the archives it names."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from infra.package.archives import write_archives
from infra.package.requirements import CACHE
from infra.package.sam import write_template


@dataclass(frozen=True, slots=True)
class Package:
    """The files of one build."""

    sam: Path
    template: Mapping[str, Any]
    archives: list[Path]


def build(folder: Path, *, archives: bool = True, cache: Path = CACHE) -> Package:
    """Build into `folder`; without `archives` only the template. Raises PackageError."""
    sam = folder / "sam.json"
    template = write_template(sam)
    made = write_archives(folder, template, cache) if archives else []
    return Package(sam, template, made)
