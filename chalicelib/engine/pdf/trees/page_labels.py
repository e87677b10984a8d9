"""Page labels: the numbers that readers show, which follow their pages."""

from collections.abc import Sequence
from typing import NamedTuple

from pikepdf import Array, Dictionary, Object, Pdf

from chalicelib.engine.pdf.trees.name_trees import tree_entries


class PageLabel(NamedTuple):
    """Label of one page: the entry of its range, and its number within it."""

    entry: Object
    number: int

    def follows(self, other: "PageLabel | None") -> bool:
        """Tell whether the label is the next one in the range of the other."""
        return (
            other is not None
            and other.entry == self.entry
            and (other.number + 1 == self.number or "/S" not in self.entry)
        )


def read_labels(document: Pdf, page_count: int) -> list[PageLabel | None]:
    """Return the label of each page; None for pages before the first range."""
    ranges = sorted(
        (
            (int(start), entry)
            for start, entry in tree_entries(document.Root.get("/PageLabels"), "/Nums")
            if isinstance(entry, Dictionary)
        ),
        key=lambda each: each[0],
    )
    labels: list[PageLabel | None] = [None] * page_count
    ends = [start for start, _ in ranges[1:]] + [page_count]
    for (start, entry), end in zip(ranges, ends, strict=bool(ranges)):
        first = int(entry.get("/St", 1))
        for index in range(max(start, 0), min(end, page_count)):
            labels[index] = PageLabel(entry, first + index - start)
    return labels


def write_labels(document: Pdf, labels: Sequence[PageLabel | None]) -> None:
    """Give the pages of a document these labels, or none if no page has one."""
    if not any(labels):
        if "/PageLabels" in document.Root:
            del document.Root.PageLabels
        return
    numbers: list[Object | int] = []
    previous: PageLabel | None = None
    for index, label in enumerate(labels):
        if label is None:
            # Pages without a label count in decimals, from 1, with a label as well.
            if index == 0 or previous is not None:
                numbers += [index, Dictionary(S="/D", St=index + 1)]
        elif not label.follows(previous):
            entry = Dictionary(dict(label.entry.as_dict().items()))
            entry.St = label.number
            numbers += [index, entry]
        previous = label
    document.Root.PageLabels = Dictionary(Nums=Array(numbers))
