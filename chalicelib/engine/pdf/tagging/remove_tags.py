"""Removal of all tags of a document."""

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pikepdf

_OF_CATALOG: Final = ("/StructTreeRoot", "/MarkInfo")
# Of pages and annotations, their keys in the parent tree; of outline entries, their headings.
_OF_OTHERS: Final = ("/StructParents", "/StructParent", "/SE", "/Tabs")


def remove_tags(document: "pikepdf.Pdf") -> None:
    """Remove the structure tree, and what leads to it."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    _remove(document.Root, _OF_CATALOG)
    for each in document.objects:
        if isinstance(each, pikepdf.Dictionary | pikepdf.Stream):
            _remove(each, _OF_OTHERS)


def _remove(holder: "pikepdf.Object", keys: tuple[str, ...]) -> None:
    for key in keys:
        if key in holder:
            del holder[key]
