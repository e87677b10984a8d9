"""The e-invoice profiles: their names in XML and in the metadata of a hybrid PDF."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

Syntax = Literal["cii", "ubl"]

EN16931_GUIDELINE: Final = "urn:cen.eu:en16931:2017"
XRECHNUNG_GUIDELINE: Final = f"{EN16931_GUIDELINE}#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0"
PEPPOL_BILLING_PROCESS: Final = "urn:fdc:peppol.eu:2017:poacc:billing:01:1.0"


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceProfile:
    """A profile of an e-invoice."""

    name: str
    guideline: str
    """BT-24, the specification identifier."""
    process_id: str | None = None
    """Default of BT-23, the business process."""
    has_lines: bool = True
    has_notes: bool = True
    syntaxes: tuple[Syntax, ...] = ("cii",)
    embedded_filename: str = "factur-x.xml"
    """Name of the XML file that a hybrid PDF carries."""
    af_relationship: Literal["Data", "Alternative"] = "Alternative"
    """AFRelationship. `Data` for XML that is not a full invoice (Factur-X 1.0, 6.2.2)."""
    xmp_level: str = ""
    """Empty for a profile that no PDF carries."""
    xmp_version: str = "1.0"


PROFILES: Final = MappingProxyType(
    {
        profile.name: profile
        for profile in (
            InvoiceProfile(
                name="MINIMUM",
                guideline="urn:factur-x.eu:1p0:minimum",
                has_lines=False,
                has_notes=False,
                af_relationship="Data",
                xmp_level="MINIMUM",
            ),
            InvoiceProfile(
                name="BASIC_WL",
                guideline="urn:factur-x.eu:1p0:basicwl",
                has_lines=False,
                af_relationship="Data",
                xmp_level="BASIC WL",
            ),
            InvoiceProfile(
                name="BASIC",
                guideline=f"{EN16931_GUIDELINE}#compliant#urn:factur-x.eu:1p0:basic",
                xmp_level="BASIC",
            ),
            InvoiceProfile(
                name="EN16931",
                guideline=EN16931_GUIDELINE,
                syntaxes=("cii", "ubl"),
                xmp_level="EN 16931",
            ),
            InvoiceProfile(
                name="EXTENDED",
                guideline=f"{EN16931_GUIDELINE}#conformant#urn:factur-x.eu:1p0:extended",
                xmp_level="EXTENDED",
            ),
            InvoiceProfile(
                name="XRECHNUNG",
                guideline=XRECHNUNG_GUIDELINE,
                process_id=PEPPOL_BILLING_PROCESS,
                syntaxes=("cii", "ubl"),
                embedded_filename="xrechnung.xml",
                xmp_level="XRECHNUNG",
                xmp_version="3.0",
            ),
            InvoiceProfile(
                name="PEPPOL",
                guideline=f"{EN16931_GUIDELINE}#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0",
                process_id=PEPPOL_BILLING_PROCESS,
                syntaxes=("ubl",),
            ),
        )
    }
)
