"""PDF/UA-1 (ISO 14289-1): all content has a tag or is an artifact, and the tags are in order."""

from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.artifacts import mark_artifacts
from chalicelib.engine.finishing.links import describe_links, drop_untagged
from chalicelib.engine.finishing.structure import repair_structure

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing

_DROPPED: Final = (
    "links in output.pdf.header and output.pdf.footer were left out: PDF/UA has none in what is "
    "not read to people"
)


def make_accessible(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    """Tag the document; PDF/UA has more to ask for than level a of PDF/A."""
    links = repair_structure(document)
    mark_artifacts(document)
    if finishing.output.pdf.pdfua:
        _settle(document)
        if drop_untagged(document):
            finishing.course.warn("feature_unavailable", _DROPPED, "/output/pdf")
        describe_links(links, finishing.course.links)


def _settle(document: "pikepdf.Pdf") -> None:
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    document.Root.MarkInfo = pikepdf.Dictionary(Marked=True)
    document.Root.ViewerPreferences = pikepdf.Dictionary(DisplayDocTitle=True)
    for page in document.pages:
        page.Tabs = pikepdf.Name.S
