"""Outline without tags: the browser makes an outline of the tags, which are removed afterwards."""

from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import PdfFinisher

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext

_OF_CATALOG: Final = ("/StructTreeRoot", "/MarkInfo")
# Of pages and annotations, their keys in the parent tree; of outline entries, their headings.
_OF_OTHERS: Final = ("/StructParents", "/StructParent", "/SE", "/Tabs")


def _applies(finishing: "FinishingContext") -> bool:
    return finishing.output.pdf.outline and not finishing.output.pdf.tagged


def _remove_tags(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    del finishing
    _remove(document.Root, _OF_CATALOG)
    for each in document.objects:
        if isinstance(each, pikepdf.Dictionary | pikepdf.Stream):
            _remove(each, _OF_OTHERS)


def _remove(holder: "pikepdf.Object", keys: tuple[str, ...]) -> None:
    for key in keys:
        if key in holder:
            del holder[key]


UNTAGGED_OUTLINE: Final = PdfFinisher(_applies, _remove_tags)
