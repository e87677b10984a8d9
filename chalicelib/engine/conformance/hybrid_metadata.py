"""Description of the invoice in the metadata of a hybrid PDF (Factur-X 1.0, 6.3), and its XML."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from chalicelib.engine.conformance.invoice_head import NotAnInvoiceError, invoice_guideline
from chalicelib.engine.einvoice.profiles import PROFILES, InvoiceProfile

_FACTURX: Final = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"
# Older generations of the standard, each with what the guidelines (BT-24) of its XML contain.
_OLDER_NAMESPACES: Final = {
    "urn:zugferd:pdfa:CrossIndustryDocument:invoice:2p0#": "urn:zugferd.de:2p0:",
    "urn:ferd:pdfa:CrossIndustryDocument:invoice:1p0#": "urn:ferd:",
}
_PROPERTIES: Final = frozenset(("DocumentType", "DocumentFileName", "Version", "ConformanceLevel"))
_BY_GUIDELINE: Final = {each.guideline: each for each in PROFILES.values() if each.xmp_level}
_MAX_SHOWN_CHARACTERS: Final = 100


class Contradiction(NamedTuple):
    """A statement of the metadata that contradicts the invoice; a warning."""

    rule: str
    message: str


def contradictions_of(
    metadata: Mapping[str, object], filename: str, xml: bytes
) -> tuple[Contradiction, ...]:
    """Compare the XMP properties of a PDF, by `{namespace}name`, with the invoice inside it."""
    try:
        guideline = invoice_guideline(xml)
    except NotAnInvoiceError:
        # What is no XML is told elsewhere.
        return ()
    namespace, stated = _description(metadata)
    contradictions = [*_in_namespace(namespace, guideline)]
    if namespace is not None:
        contradictions += _in_file_name(stated, filename)
        if (profile := _BY_GUIDELINE.get(guideline)) is not None:
            contradictions += _in_profile(stated, profile)
    return tuple(contradictions)


def _description(metadata: Mapping[str, object]) -> tuple[str | None, Mapping[str, str]]:
    """Return the namespace with most properties of an invoice, and these; None without any."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for key, value in metadata.items():
        namespace, _, name = key.removeprefix("{").rpartition("}")
        if name in _PROPERTIES and _names_an_invoice(namespace):
            found[namespace][name] = str(value).strip()
    if not found:
        return None, {}
    # One of the standard wins over one that is only like it.
    known = {_FACTURX, *_OLDER_NAMESPACES}
    namespace = max(found, key=lambda each: (each in known, len(found[each])))
    return namespace, found[namespace]


def _names_an_invoice(namespace: str) -> bool:
    """Tell whether a namespace is one of invoices, even with a slip such as a missing `#`."""
    return "factur-x" in namespace.lower() or "ferd" in namespace.lower()


def _in_namespace(namespace: str | None, guideline: str) -> Iterator[Contradiction]:
    if namespace is None:
        message = "The metadata of the PDF do not describe the invoice that it carries"
        yield Contradiction("PLT-HYBRID-NAMESPACE", message)
        return
    expected = next((old for old, part in _OLDER_NAMESPACES.items() if part in guideline), _FACTURX)
    if namespace != expected:
        message = f"The metadata describe the invoice in {_quote(namespace)}, not in {expected}"
        yield Contradiction("PLT-HYBRID-NAMESPACE", message)


def _in_file_name(stated: Mapping[str, str], filename: str) -> Iterator[Contradiction]:
    name = stated.get("DocumentFileName")
    if name != filename:
        message = f"{_statement('file', name)}; the file is {_quote(filename)}"
        yield Contradiction("PLT-HYBRID-FILE-NAME", message)


def _in_profile(stated: Mapping[str, str], profile: InvoiceProfile) -> Iterator[Contradiction]:
    level, version = stated.get("ConformanceLevel"), stated.get("Version")
    if level != profile.xmp_level:
        message = f"{_statement('level', level)}; its XML is {profile.xmp_level}"
        yield Contradiction("PLT-HYBRID-LEVEL", message)
    if version != profile.xmp_version:
        message = f"{_statement('version', version)}; its XML is of {profile.xmp_version}"
        yield Contradiction("PLT-HYBRID-VERSION", message)


def _statement(what: str, value: str | None) -> str:
    if value is None:
        return f"The metadata give the invoice no {what}"
    return f"The metadata give the invoice the {what} {_quote(value)}"


def _quote(text: str) -> str:
    return repr(text[:_MAX_SHOWN_CHARACTERS])
