"""PDF/UA-1 (ISO 14289-1): all content has a tag or is an artifact, and the tags are in order."""

from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.artifacts import mark_artifacts
from chalicelib.engine.finishing.links import describe_links, drop_untagged
from chalicelib.engine.finishing.printed import elements_in
from chalicelib.engine.finishing.structure import repair_structure

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing

# The browser's own, which it gives to every document but an empty one.
_LANGUAGE: Final = "en-US"
_DROPPED: Final = (
    "links that are read to nobody were left out, as PDF/UA wants it: those of headers, footers, "
    "frames and what is aria-hidden"
)


def make_accessible(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    """Tag the document; PDF/UA has more to ask for than level a of PDF/A."""
    links = repair_structure(document, elements_in(finishing.printed))
    mark_artifacts(document)
    if finishing.output.pdf.held_to_pdfua:
        _settle(document)
        describe_links(links, finishing.course.links)
    if finishing.output.pdf.pdfua and drop_untagged(document):
        finishing.course.warn("feature_unavailable", _DROPPED, "/output/pdf")


def _settle(document: "pikepdf.Pdf") -> None:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    if "/Lang" not in document.Root:
        document.Root.Lang = _LANGUAGE
    document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
    document.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    for page in document.pages:
        page.Tabs = pikepdf.Name.S
