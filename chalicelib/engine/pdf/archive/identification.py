"""Claims of PDF/A-2 and -3 (ISO 19005) and of PDF/UA-1 (ISO 14289), and the output intent."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pikepdf

    from chalicelib.engine.pdf.document.attachments import InvoiceFile


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


def make_annotations_printable(document: "pikepdf.Pdf") -> None:
    """Let all annotations be shown and printed."""
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
