"""How large each function is: its code and layers as Lambda counts them, unpacked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from infra.package.archive import unpacked_bytes
from infra.package.archives import FUNCTION, archive_of

# Lambda takes 250 MiB; the rest is room for what a later version needs.
LIMIT_BYTES: Final = 240_000_000
_MB: Final = 1e6


@dataclass(frozen=True, slots=True)
class Size:
    """One function's code and layers, in bytes."""

    function: str
    zipped: int
    code: int
    layers: int

    @property
    def total(self) -> int:
        """Return what counts against the limit."""
        return self.code + self.layers


def sizes(template: Mapping[str, Any], folder: Path) -> Iterator[Size]:
    """Yield the size of each function, its archives lying in `folder`."""
    resources = template["Resources"]
    for name, resource in resources.items():
        if resource["Type"] != FUNCTION:
            continue
        archive = folder / str(archive_of(resource))
        names = [layer["Ref"] for layer in resource["Properties"].get("Layers", [])]
        layers = [folder / str(archive_of(resources[layer])) for layer in names]
        yield Size(
            name,
            archive.stat().st_size,
            unpacked_bytes(archive),
            sum(map(unpacked_bytes, layers)),
        )


def table(rows: list[Size]) -> Table:
    """Return the sizes in megabytes (of a million bytes) for the terminal."""
    made = Table(box=None, pad_edge=False)
    made.add_column("function")
    for heading in ("zip MB", "unpacked MB", "layers MB", "total MB", "limit MB"):
        made.add_column(heading, justify="right")
    for row in rows:
        figures = (row.zipped, row.code, row.layers, row.total, LIMIT_BYTES)
        made.add_row(row.function, *(f"{figure / _MB:.1f}" for figure in figures))
    return made


def too_large(rows: list[Size]) -> list[str]:
    """Return a line for each function over the limit."""
    return [
        f"{row.function}: {row.total / _MB:.1f} MB with its layers, "
        f"more than {LIMIT_BYTES / _MB:.0f} MB"
        for row in rows
        if row.total > LIMIT_BYTES
    ]
