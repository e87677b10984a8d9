"""PDF/A-2 and -3 (ISO 19005) and PDF/UA-1 (ISO 14289): the document made what it says that it is.

What only its author can change stays as it is, for the validator to tell.
"""

from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import Finisher

if TYPE_CHECKING:
    import pikepdf

    from chalicelib.engine.formats.format import Finishing

# A PDF with a file in it that may be anything is PDF/A-3.
_OF_HYBRIDS: Final = "3b"
_COLOURS: Final = "sRGB IEC61966-2.1"
# Of annotations (ISO 32000-1, 12.5.3).
_PRINTED: Final = 4
_UNSEEN: Final = 1 | 2 | 32


def conforms(finishing: "Finishing") -> bool:
    """Tell whether the document is held to anything."""
    return flavour(finishing) is not None or finishing.output.pdf.held_to_pdfua


def flavour(finishing: "Finishing") -> str | None:
    """Return the part and level of PDF/A that the document is to conform to."""
    return finishing.output.pdf.pdfa or (_OF_HYBRIDS if finishing.invoice else None)


def _conform(document: "pikepdf.Pdf", finishing: "Finishing") -> None:
    # Nothing of this is loaded for other documents.
    from chalicelib.engine.finishing.fonts import repair_fonts  # noqa: PLC0415
    from chalicelib.engine.finishing.pdfua import make_accessible  # noqa: PLC0415
    from chalicelib.engine.finishing.xmp import identify  # noqa: PLC0415

    repair_fonts(document)
    if finishing.output.pdf.accessible:
        make_accessible(document, finishing)
    pdfa, pdfua = flavour(finishing), finishing.output.pdf.pdfua
    if pdfa is not None:
        _name_colours(document)
        _show_annotations(document)
    identify(document, pdfa=pdfa, pdfua=pdfua, invoice=finishing.invoice)


def _name_colours(document: "pikepdf.Pdf") -> None:
    """Say what the browser's RGB is: sRGB."""
    import pikepdf  # noqa: PLC0415 -- as finishing/pdf.py

    profile = document.make_stream(Path(__file__).with_name("srgb.icc").read_bytes(), N=3)
    intent = pikepdf.Dictionary(
        Type=pikepdf.Name.OutputIntent,
        S=pikepdf.Name.GTS_PDFA1,
        OutputConditionIdentifier=_COLOURS,
        Info=_COLOURS,
        DestOutputProfile=profile,
    )
    document.Root.OutputIntents = pikepdf.Array([document.make_indirect(intent)])


def _show_annotations(document: "pikepdf.Pdf") -> None:
    for page in document.pages:
        for annotation in page.get("/Annots", []):
            annotation.F = int(annotation.get("/F", 0)) & ~_UNSEEN | _PRINTED


CONFORMANCE: Final = Finisher(conforms, _conform)
