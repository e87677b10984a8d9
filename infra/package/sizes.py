"""How large each function is: its code and layers as Lambda counts them, unpacked."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from infra.package.archives import FUNCTION_TYPE, archive_name, unpacked_bytes

# Lambda takes 250 MiB; the rest is room for what a later version needs.
LIMIT_BYTES: Final = 240_000_000
_BYTES_PER_MB: Final = 1e6


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """One function's code and layers, in bytes."""

    function: str
    zip_bytes: int
    code_bytes: int
    layer_bytes: int

    @property
    def total_bytes(self) -> int:
        """Return what counts against the limit."""
        return self.code_bytes + self.layer_bytes


def function_sizes(template: Mapping[str, Any], folder: Path) -> Iterator[FunctionSize]:
    """Yield the size of each function, its archives lying in `folder`."""
    resources = template["Resources"]
    for name, resource in resources.items():
        if resource["Type"] != FUNCTION_TYPE:
            continue
        archive = folder / str(archive_name(resource))
        names = [layer["Ref"] for layer in resource["Properties"].get("Layers", [])]
        layers = [folder / str(archive_name(resources[layer])) for layer in names]
        yield FunctionSize(
            name,
            archive.stat().st_size,
            unpacked_bytes(archive),
            sum(map(unpacked_bytes, layers)),
        )


def size_table(rows: list[FunctionSize]) -> Table:
    """Return the sizes in megabytes (of a million bytes) for the terminal."""
    made = Table(box=None, pad_edge=False)
    made.add_column("function")
    for heading in ("zip MB", "unpacked MB", "layers MB", "total MB", "limit MB"):
        made.add_column(heading, justify="right")
    for row in rows:
        figures = (row.zip_bytes, row.code_bytes, row.layer_bytes, row.total_bytes, LIMIT_BYTES)
        made.add_row(row.function, *(f"{figure / _BYTES_PER_MB:.1f}" for figure in figures))
    return made


def oversized(rows: list[FunctionSize]) -> list[str]:
    """Return a line for each function over the limit."""
    return [
        f"{row.function}: {row.total_bytes / _BYTES_PER_MB:.1f} MB with its layers, "
        f"more than {LIMIT_BYTES / _BYTES_PER_MB:.0f} MB"
        for row in rows
        if row.total_bytes > LIMIT_BYTES
    ]
