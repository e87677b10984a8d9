"""PDF/A-2 and -3 (ISO 19005) and PDF/UA-1 (ISO 14289): the changes that they require.

Defects that only the author can remove stay as they are; the validator reports them.
"""

from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.pdf.text.chromium_pdf import structure_index

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext

# Only PDF/A-3 allows an embedded file of any type (ISO 19005-3, 6.8).
_HYBRID_FLAVOUR: Final = "3b"
_LINKS_DROPPED: Final = (
    "links that are read to nobody were left out, as PDF/UA wants it: those of headers, footers, "
    "frames and what is aria-hidden"
)


def has_conformance_target(finishing: "FinishingContext") -> bool:
    """Tell whether the document must conform to PDF/A or PDF/UA."""
    return pdfa_flavour(finishing) is not None or finishing.output.pdf.has_pdfua_target


def pdfa_flavour(finishing: "FinishingContext") -> str | None:
    """Return the part and level of PDF/A that the document must conform to, such as `3b`."""
    return finishing.output.pdf.pdfa or (_HYBRID_FLAVOUR if finishing.invoice_file else None)


def _make_conforming(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    # Imported here: other documents do not need these modules.
    from chalicelib.engine.pdf.archive.identification import (  # noqa: PLC0415
        add_identification,
        add_output_intent,
        make_annotations_printable,
    )
    from chalicelib.engine.pdf.tagging.pdfua import repair_to_unicode  # noqa: PLC0415

    repair_to_unicode(document)
    if finishing.output.pdf.is_fully_tagged:
        _make_accessible(document, finishing)
    pdfa, pdfua = pdfa_flavour(finishing), finishing.output.pdf.pdfua
    if pdfa is not None:
        add_output_intent(document)
        make_annotations_printable(document)
    add_identification(document, pdfa=pdfa, pdfua=pdfua, invoice=finishing.invoice_file)


def _make_accessible(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    """Give all content a tag or an artifact.

    PDF/UA also needs catalog entries and link descriptions, which level a of PDF/A does not.
    """
    from chalicelib.engine.pdf.tagging.pdfua import (  # noqa: PLC0415 -- as above
        describe_links,
        drop_untagged_links,
        set_catalog_entries,
        tag_or_mark_all_content,
    )

    links = tag_or_mark_all_content(document, structure_index(finishing.printed_pdf))
    if finishing.output.pdf.has_pdfua_target:
        set_catalog_entries(document)
        describe_links(links, finishing.recorder.links)
    if finishing.output.pdf.pdfua and drop_untagged_links(document):
        finishing.recorder.warn("feature_unavailable", _LINKS_DROPPED, "/output/pdf")


CONFORMANCE: Final = PdfFinisher(has_conformance_target, _make_conforming)
