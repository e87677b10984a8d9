"""PDF/A-2 and -3 (ISO 19005) and PDF/UA-1 (ISO 14289): the document made what it says that it is.

What only its author can change stays as it is, for the validator to tell.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import PdfFinisher

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext

# A PDF with a file in it that may be anything is PDF/A-3.
_HYBRID_FLAVOUR: Final = "3b"
_OUTPUT_CONDITION: Final = "sRGB IEC61966-2.1"
# Of annotations (ISO 32000-1, 12.5.3).
_PRINT_FLAG: Final = 4
_HIDDEN_FLAGS: Final = 1 | 2 | 32


def has_conformance_target(finishing: "FinishingContext") -> bool:
    """Tell whether the document is held to anything."""
    return pdfa_flavour(finishing) is not None or finishing.output.pdf.has_pdfua_target


def pdfa_flavour(finishing: "FinishingContext") -> str | None:
    """Return the part and level of PDF/A that the document is to conform to."""
    return finishing.output.pdf.pdfa or (_HYBRID_FLAVOUR if finishing.invoice_file else None)


def _make_conforming(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    # Nothing of this is loaded for other documents.
    from chalicelib.engine.finishing.tagging.pdfua import (  # noqa: PLC0415
        make_accessible,
        repair_to_unicode,
    )
    from chalicelib.engine.finishing.xmp_identification import add_identification  # noqa: PLC0415

    repair_to_unicode(document)
    if finishing.output.pdf.is_fully_tagged:
        make_accessible(document, finishing)
    pdfa, pdfua = pdfa_flavour(finishing), finishing.output.pdf.pdfua
    if pdfa is not None:
        _add_output_intent(document)
        _make_annotations_printable(document)
    add_identification(document, pdfa=pdfa, pdfua=pdfua, invoice=finishing.invoice_file)


def _add_output_intent(document: "pikepdf.Pdf") -> None:
    """Say what the browser's RGB is: sRGB."""
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    profile = document.make_stream(Path(__file__).with_name("srgb.icc").read_bytes(), N=3)
    intent = pikepdf.Dictionary(
        Type=pikepdf.Name.OutputIntent,
        S=pikepdf.Name.GTS_PDFA1,
        OutputConditionIdentifier=_OUTPUT_CONDITION,
        Info=_OUTPUT_CONDITION,
        DestOutputProfile=profile,
    )
    document.Root.OutputIntents = pikepdf.Array([document.make_indirect(intent)])


def _make_annotations_printable(document: "pikepdf.Pdf") -> None:
    for page in document.pages:
        for annotation in page.get("/Annots", []):
            annotation.F = int(annotation.get("/F", 0)) & ~_HIDDEN_FLAGS | _PRINT_FLAG


CONFORMANCE: Final = PdfFinisher(has_conformance_target, _make_conforming)
