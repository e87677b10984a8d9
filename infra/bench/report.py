"""Table of a benchmark on the terminal, and the limits of its figures; both are kept for a page."""

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


class Row(NamedTuple):
    """Row of the table."""

    title: str
    cells: tuple[float | str, ...]
    note: str


class Claim(NamedTuple):
    """Figures beside the limit that each of them has to keep."""

    title: str
    limit: Limit
    figures: tuple[float, ...]

    @property
    def is_kept(self) -> bool:
        """Tell whether all figures keep the limit."""
        return all(map(self.limit.holds, self.figures))


class Report:
    """Report of one run; its last line is that of `result`."""

    def __init__(self, name: str) -> None:
        """Report a run of the benchmark `name`."""
        self.rows: list[Row] = []
        self.claims: list[Claim] = []
        self._name = name

    @property
    def is_kept(self) -> bool:
        """Tell whether every limit is kept so far."""
        return all(claim.is_kept for claim in self.claims)

    def row(self, title: str, *cells: float | str, note: str = "") -> None:
        """Print a row of the table; numbers have two decimals."""
        self.rows.append(Row(title, cells, note))
        texts = (cell if isinstance(cell, str) else f"{cell:.2f}" for cell in cells)
        row = title.ljust(_TITLE_WIDTH) + "".join(f" {text:>{_CELL_WIDTH}}" for text in texts)
        print(f"{row}  {note}".rstrip(), flush=True)

    def check(self, title: str, limit: Limit, *figures: float) -> None:
        """Print figures beside their limit, and keep in mind whether they keep it."""
        self.claims.append(Claim(title, limit, figures))
        shown = ", ".join(f"{figure:.2f}" for figure in figures)
        bound = f"{limit.value:g}{limit.unit}{', at least' if limit.at_least else ''}"
        print(f"{title}: {shown}{limit.unit} (limit {bound})", flush=True)

    def result(self, limit: Limit, *figures: float) -> None:
        """Print the last line, the claim of the benchmark."""
        self.check(self._name, limit, *figures)
