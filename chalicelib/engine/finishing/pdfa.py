"""PDF/A-2 and -3 (ISO 19005) and PDF/UA-1 (ISO 14289): the claims and the changes they require.

Defects that only the author can remove stay as they are; the validator reports them.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import PdfFinisher

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pikepdf

    from chalicelib.engine.finishing.finisher import FinishingContext, InvoiceFile


# Only PDF/A-3 allows an embedded file of any type (ISO 19005-3, 6.8).
_HYBRID_FLAVOUR: Final = "3b"
_OUTPUT_CONDITION: Final = "sRGB IEC61966-2.1"
# Annotation flags (ISO 32000-1, 12.5.3): print; invisible, hidden and no view.
_PRINT_FLAG: Final = 4
_HIDDEN_FLAGS: Final = 1 | 2 | 32

_RDF_END: Final = b"</rdf:RDF>"
_AIIM: Final = "http://www.aiim.org"
_NAMESPACES: Final = {
    "pdfaid": f"{_AIIM}/pdfa/ns/id/",
    "pdfuaid": f"{_AIIM}/pdfua/ns/id/",
    "fx": "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#",
    "pdfaExtension": f"{_AIIM}/pdfa/ns/extension/",
    "pdfaSchema": f"{_AIIM}/pdfa/ns/schema#",
    "pdfaProperty": f"{_AIIM}/pdfa/ns/property#",
}


@dataclass(frozen=True, slots=True)
class _XmpProperty:
    name: str
    value: str
    type: str
    category: str
    description: str


@dataclass(frozen=True, slots=True)
class _XmpSchema:
    prefix: str
    title: str
    properties: "Sequence[_XmpProperty]"


def has_conformance_target(finishing: "FinishingContext") -> bool:
    """Tell whether the document must conform to PDF/A or PDF/UA."""
    return pdfa_flavour(finishing) is not None or finishing.output.pdf.has_pdfua_target


def pdfa_flavour(finishing: "FinishingContext") -> str | None:
    """Return the part and level of PDF/A that the document must conform to, such as `3b`."""
    return finishing.output.pdf.pdfa or (_HYBRID_FLAVOUR if finishing.invoice_file else None)


def _make_conforming(document: "pikepdf.Pdf", finishing: "FinishingContext") -> None:
    # Imported here: other documents do not need these modules.
    from chalicelib.engine.pdf.tagging.pdfua import make_accessible, repair_to_unicode  # noqa: PLC0415

    repair_to_unicode(document)
    if finishing.output.pdf.is_fully_tagged:
        make_accessible(document, finishing)
    pdfa, pdfua = pdfa_flavour(finishing), finishing.output.pdf.pdfua
    if pdfa is not None:
        add_output_intent(document)
        _make_annotations_printable(document)
    add_identification(document, pdfa=pdfa, pdfua=pdfua, invoice=finishing.invoice_file)


@cache
def srgb_profile() -> bytes:
    """Return the ICC profile of sRGB; the first call reads a file."""
    return Path(__file__).with_name("srgb.icc").read_bytes()


def add_output_intent(document: "pikepdf.Pdf") -> None:
    """Declare the document's RGB as sRGB."""
    import pikepdf  # noqa: PLC0415 -- see finish_pdf.py

    profile = document.make_stream(srgb_profile(), N=3)
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


def add_identification(
    document: "pikepdf.Pdf", *, pdfa: str | None, pdfua: bool, invoice: "InvoiceFile | None"
) -> None:
    """Add the conformance claims and the description of the invoice to the XMP packet."""
    metadata = document.Root.Metadata
    description = _description(pdfa, pdfua=pdfua, invoice=invoice).encode()
    metadata.write(metadata.read_bytes().replace(_RDF_END, description + _RDF_END))


def _description(pdfa: str | None, *, pdfua: bool, invoice: "InvoiceFile | None") -> str:
    schemas = [_pdfua_schema()] if pdfua else []
    if invoice is not None:
        schemas.append(_facturx_schema(invoice))
    lines = [
        f"<{schema.prefix}:{each.name}>{each.value}</{schema.prefix}:{each.name}>"
        for schema in schemas
        for each in schema.properties
    ]
    if pdfa is not None:
        lines.append(f"<pdfaid:part>{pdfa[0]}</pdfaid:part>")
        lines.append(f"<pdfaid:conformance>{pdfa[1].upper()}</pdfaid:conformance>")
        lines.append(_extension_schemas(schemas))
    namespaces = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in _NAMESPACES.items())
    return f'<rdf:Description rdf:about="" {namespaces}>{"".join(lines)}</rdf:Description>\n'


def _pdfua_schema() -> _XmpSchema:
    part = _XmpProperty("part", "1", "Integer", "internal", "Part of ISO 14289 that is followed")
    return _XmpSchema("pdfuaid", "PDF/UA identification schema", [part])


def _facturx_schema(invoice: "InvoiceFile") -> _XmpSchema:
    def text(name: str, value: str, description: str) -> _XmpProperty:
        return _XmpProperty(name, value, "Text", "external", description)

    return _XmpSchema(
        "fx",
        "Factur-X PDFA Extension Schema",
        [
            text("DocumentType", "INVOICE", "Type of the hybrid document"),
            text("DocumentFileName", invoice.filename, "Name of the embedded XML document"),
            text("Version", invoice.version, "Version of the standard of the XML document"),
            text("ConformanceLevel", invoice.level, "Profile of the XML document"),
        ],
    )


def _extension_schemas(schemas: "Sequence[_XmpSchema]") -> str:
    if not schemas:
        return ""
    bag = "".join(_schema_description(schema) for schema in schemas)
    return f"<pdfaExtension:schemas><rdf:Bag>{bag}</rdf:Bag></pdfaExtension:schemas>"


def _schema_description(schema: _XmpSchema) -> str:
    properties = "".join(
        '<rdf:li rdf:parseType="Resource">'
        f"<pdfaProperty:name>{each.name}</pdfaProperty:name>"
        f"<pdfaProperty:valueType>{each.type}</pdfaProperty:valueType>"
        f"<pdfaProperty:category>{each.category}</pdfaProperty:category>"
        f"<pdfaProperty:description>{each.description}</pdfaProperty:description></rdf:li>"
        for each in schema.properties
    )
    return (
        '<rdf:li rdf:parseType="Resource">'
        f"<pdfaSchema:schema>{schema.title}</pdfaSchema:schema>"
        f"<pdfaSchema:namespaceURI>{_NAMESPACES[schema.prefix]}</pdfaSchema:namespaceURI>"
        f"<pdfaSchema:prefix>{schema.prefix}</pdfaSchema:prefix>"
        f"<pdfaSchema:property><rdf:Seq>{properties}</rdf:Seq></pdfaSchema:property></rdf:li>"
    )


CONFORMANCE: Final = PdfFinisher(has_conformance_target, _make_conforming)
