"""What a file claims to be, read with nothing but its bytes: which checks it asks for."""

from dataclasses import dataclass, field
from typing import Final
from xml.parsers import expat

from chalicelib.engine.conformance.checks import Check
from chalicelib.engine.einvoice.profiles import PROFILES

_CII: Final = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100 CrossIndustryInvoice"
_UBL: Final = "urn:oasis:names:specification:ubl:schema:xsd:{0}-2 {0}"
_UBL_ROOTS: Final = {_UBL.format(name): name for name in ("Invoice", "CreditNote")}
_GUIDELINE: Final = ("GuidelineSpecifiedDocumentContextParameter", "CustomizationID")
_LONGEST: Final = 500


class NotAnInvoice(Exception):  # noqa: N818 -- says what it is not
    """An XML that no profile claims; the message says why."""


@dataclass(slots=True)
class _Head:
    """What is read of an XML until its profile is known."""

    root: str | None = None
    names: list[str] = field(default_factory=list)
    guideline: str = ""

    def start(self, name: str, _attributes: dict[str, str]) -> None:
        self.root = self.root or name
        self.names.append(name.rpartition(" ")[2])

    def text(self, text: str) -> None:
        wanted = any(name in _GUIDELINE for name in self.names[-2:])
        if wanted and len(self.guideline) < _LONGEST:
            self.guideline += text

    def end(self, _name: str) -> None:
        self.names.pop()


def invoice_check(xml: bytes) -> Check:
    """Return the check that an XML asks for by its root and its guideline.

    Raises NotAnInvoice; what has a document type is none.
    """
    head = _read(xml)
    guideline = head.guideline.strip()
    profile = next((each for each in PROFILES.values() if each.guideline == guideline), None)
    if head.root not in (_CII, *_UBL_ROOTS):
        raise NotAnInvoice("the XML is neither a CII nor a UBL invoice")
    if profile is None:
        raise NotAnInvoice(
            f"the invoice's profile is not known here: its guideline is {guideline!r}"
        )
    if head.root == _CII:
        return Check.cii(profile.name)
    if "ubl" not in profile.syntaxes:
        raise NotAnInvoice(f"the profile {profile.name} exists in CII only, not in UBL")
    return Check.ubl(profile.name, credit_note=_UBL_ROOTS[head.root] == "CreditNote")


def _read(xml: bytes) -> _Head:
    head = _Head()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler = head.start
    parser.EndElementHandler = head.end
    parser.CharacterDataHandler = head.text
    parser.StartDoctypeDeclHandler = _refuse
    try:
        parser.Parse(xml, True)  # noqa: FBT003 -- takes no keywords
    except expat.ExpatError as error:
        raise NotAnInvoice(f"the XML is not well-formed: {error}") from error
    return head


def _refuse(*_declaration: object) -> None:
    raise NotAnInvoice("the XML has a document type, which no invoice needs")
