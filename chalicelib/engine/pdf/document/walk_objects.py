"""Walk over the dictionaries of a document, without recursion."""

from collections.abc import Iterator

import pikepdf


def walk_dictionaries(document: pikepdf.Pdf) -> Iterator[pikepdf.Object]:
    """Yield each dictionary and stream, direct ones as well; the caller may change them."""
    for each in (document.trailer, *document.objects):
        holders = [each]
        while holders:
            holder = holders.pop()
            if not isinstance(holder, pikepdf.Array):
                if not isinstance(holder, pikepdf.Dictionary | pikepdf.Stream):
                    continue
                yield holder
            holders.extend(value for _, value in references(holder) if not value.is_indirect)


def references(holder: pikepdf.Object) -> Iterator[tuple[str | int, pikepdf.Object]]:
    """Yield the entries of a dictionary, stream or array that hold or may lead to references."""
    if isinstance(holder, pikepdf.Array):
        entries: list[tuple[str | int, object]] = list(enumerate(holder))
    else:
        entries = list(holder.items())
    for key, value in entries:
        if isinstance(value, pikepdf.Object) and (
            value.is_indirect or isinstance(value, pikepdf.Array | pikepdf.Dictionary)
        ):
            yield key, value
