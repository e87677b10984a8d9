"""Sizes of the functions: code and layers, unpacked, as Lambda counts them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from rich.table import Table

from infra.package.archives import FUNCTION_TYPE, archive_name, unpacked_bytes

# Lambda allows 250 MiB; the difference is reserve for later versions.
LIMIT_BYTES: Final = 240_000_000
_BYTES_PER_MB: Final = 1e6


@dataclass(frozen=True, slots=True)
class FunctionSize:
    """Sizes of one function in bytes."""

    function: str
    zip_bytes: int
    code_bytes: int
    layer_bytes: int

    @property
    def total_bytes(self) -> int:
        """Return the unpacked size that counts against the limit."""
        return self.code_bytes + self.layer_bytes


def function_sizes(template: Mapping[str, Any], folder: Path) -> Iterator[FunctionSize]:
    """Yield the size of each function of a template; `folder` holds the archives."""
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
    """Return the sizes as a table in megabytes (1,000,000 bytes)."""
    table = Table(box=None, pad_edge=False)
    table.add_column("function")
    for heading in ("zip MB", "unpacked MB", "layers MB", "total MB", "limit MB"):
        table.add_column(heading, justify="right")
    for row in rows:
        sizes = (row.zip_bytes, row.code_bytes, row.layer_bytes, row.total_bytes, LIMIT_BYTES)
        table.add_row(row.function, *(f"{size / _BYTES_PER_MB:.1f}" for size in sizes))
    return table


def size_errors(rows: list[FunctionSize]) -> list[str]:
    """Return a line for each function over the limit."""
    return [
        f"{row.function}: {row.total_bytes / _BYTES_PER_MB:.1f} MB with its layers, "
        f"more than {LIMIT_BYTES / _BYTES_PER_MB:.0f} MB"
        for row in rows
        if row.total_bytes > LIMIT_BYTES
    ]
