"""Table of a benchmark on the terminal, and the limits of its figures."""

from typing import Final, NamedTuple

_TITLE_WIDTH: Final = 36
_CELL_WIDTH: Final = 12


class Limit(NamedTuple):
    """Bound of a figure: at most `value`, or at least."""

    value: float
    at_least: bool = False
    unit: str = ""

    def holds(self, figure: float) -> bool:
        """Tell whether a figure keeps within it."""
        return figure >= self.value if self.at_least else figure <= self.value


class Report:
    """Report of one run; its last line is that of `result`."""

    def __init__(self, name: str) -> None:
        """Report a run of the benchmark `name`, with every limit kept so far."""
        self.is_kept = True
        self._name = name

    def row(self, title: str, *cells: float | str, note: str = "") -> None:
        """Print a row of the table; numbers have two decimals."""
        texts = (cell if isinstance(cell, str) else f"{cell:.2f}" for cell in cells)
        row = title.ljust(_TITLE_WIDTH) + "".join(f" {text:>{_CELL_WIDTH}}" for text in texts)
        print(f"{row}  {note}".rstrip(), flush=True)

    def check(self, title: str, limit: Limit, *figures: float) -> None:
        """Print figures beside their limit, and keep in mind whether they keep it."""
        self.is_kept = self.is_kept and all(map(limit.holds, figures))
        shown = ", ".join(f"{figure:.2f}" for figure in figures)
        bound = f"{limit.value:g}{limit.unit}{', at least' if limit.at_least else ''}"
        print(f"{title}: {shown}{limit.unit} (limit {bound})", flush=True)

    def result(self, limit: Limit, *figures: float) -> None:
        """Print the last line, the claim of the benchmark."""
        self.check(self._name, limit, *figures)
