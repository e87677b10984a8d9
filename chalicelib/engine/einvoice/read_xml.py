"""XML reader of invoices in either syntax, CII or UBL."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple

from lxml import etree

from chalicelib.contract.invoice.constraints import MAX_ENTRIES
from chalicelib.core.json import Json
from chalicelib.engine.einvoice.differing_totals import (
    CII_TOTALS,
    UBL_TOTALS,
    TotalPaths,
    differing_totals,
)
from chalicelib.engine.einvoice.findings import InvalidInvoiceError
from chalicelib.engine.einvoice.fit_invoice import fit_invoice
from chalicelib.engine.einvoice.located_values import (
    MAX_MESSAGES,
    LocatedMessage,
    LocatedText,
    UnreadableInvoiceError,
    value_xpath,
)
from chalicelib.engine.einvoice.model import Invoice
from chalicelib.engine.einvoice.profiles import PROFILES, Syntax
from chalicelib.engine.einvoice.read_cii import read_cii
from chalicelib.engine.einvoice.read_json import read_invoice
from chalicelib.engine.einvoice.read_ubl import read_ubl
from chalicelib.engine.einvoice.rules.document import lacks_corrected_invoice
from chalicelib.engine.einvoice.rules.identifiers import impossible_identifiers
from chalicelib.engine.einvoice.rules.vat import split_payments_without_rate
from chalicelib.engine.einvoice.totals import InvoiceTotals, compute_totals
from chalicelib.engine.einvoice.write_cii.document import NAMESPACES as CII
from chalicelib.engine.einvoice.write_json import invoice_json
from chalicelib.engine.einvoice.write_ubl.document import NAMESPACES as UBL
from chalicelib.engine.einvoice.write_ubl.document import UBL_SCHEMA
from chalicelib.engine.einvoice.xml_parser import RefusedXmlError, parse_xml
from chalicelib.engine.einvoice.xml_reader import ElementReader, XmlDocument

# JSON path of the invoice in the answer.
INVOICE_ROOT: Final = "invoice"
_XRECHNUNG: Final = "kosit:xrechnung"  # its extensions too
_MAX_IMPOSSIBLE_IDENTIFIERS: Final = 20
_PROFILE_BY_GUIDELINE: Final = MappingProxyType(
    {profile.guideline: profile for profile in PROFILES.values()}
)


class EmbeddedDocument(NamedTuple):
    """The content of a supporting document (BT-125) in base64, and its XPath."""

    position: int
    content: str
    location: str


@dataclass(frozen=True, slots=True, kw_only=True)
class XmlInvoice:
    """A document read into the model, and the parts that did not fit."""

    syntax: Syntax
    document_type: str
    """The name of the root element."""
    guideline: str | None
    """BT-24 of the document."""
    content: dict[str, Json] | None
    """The invoice in the contract's model, as far as it fits; required fields may be absent.

    None if the profile carries no lines, or if there is a `problem`.
    """
    embedded: tuple[EmbeddedDocument, ...]
    """By the positions of the supporting documents of `content`."""
    problem: LocatedMessage | None
    """The reason why no invoice can be built from the document."""
    not_in_model: tuple[LocatedMessage, ...]
    """Reasons why `content` is no complete invoice, unread elements, values that do not fit, and
    amounts that differ from the computed ones."""
    impossible_identifiers: tuple[tuple[str, LocatedMessage], ...] = ()
    """Rule and message of each identifier with a wrong form or check digit."""


@dataclass(frozen=True, slots=True)
class _SyntaxReader:
    syntax: Syntax
    prefixes: Mapping[str, str]
    guideline_path: str
    totals: TotalPaths
    read: Callable[[ElementReader], Invoice]


def read_xml(data: bytes) -> XmlInvoice:
    """Read an invoice or a credit note; raise RefusedXmlError for any other document.

    A document of a known root never raises: `problem` has the reason why it has no invoice.
    """
    root = parse_xml(data)
    reader = _READERS.get(str(root.tag))
    if reader is None:
        raise RefusedXmlError(
            f"The document is a {etree.QName(root).localname}; send a CrossIndustryInvoice (CII),"
            " or an Invoice or a CreditNote (UBL 2.1), each in its own namespace"
        )
    document = XmlDocument(root, reader.prefixes)
    part = ElementReader(document, root)
    guideline = part.code(reader.guideline_path)
    profile = _PROFILE_BY_GUIDELINE.get(guideline or "")
    found = _FittedInvoice(None, (), [], [])
    impossible: list[tuple[str, LocatedMessage]] = []
    problem = None
    # MINIMUM and BASIC_WL carry no lines, without which the model has no invoice.
    if profile is None or profile.has_lines:
        try:
            raw = reader.read(part)
            found = _fit(reader, part, raw)
            impossible = list(_impossible_identifiers(raw, guideline or ""))
        except UnreadableInvoiceError as error:
            problem = error.problem
    return XmlInvoice(
        syntax=reader.syntax,
        document_type=etree.QName(root).localname,
        guideline=guideline,
        content=found.content,
        embedded=found.embedded,
        problem=problem,
        not_in_model=(
            *found.refusals,
            *document.unread_elements(),
            *document.unreadable,
            *found.misfits,
        )
        if found.content
        else (),
        impossible_identifiers=tuple(impossible),
    )


class _FittedInvoice(NamedTuple):
    content: dict[str, Json] | None
    embedded: tuple[EmbeddedDocument, ...]
    refusals: list[LocatedMessage]
    misfits: list[LocatedMessage]


def _fit(reader: _SyntaxReader, root: ElementReader, raw: Invoice) -> _FittedInvoice:
    """Return a received invoice as a caller may send it, and the differences."""
    content, misfits = fit_invoice(raw, INVOICE_ROOT)
    embedded = tuple(_embedded_documents(raw))
    try:
        invoice = read_invoice(content, INVOICE_ROOT)
    except InvalidInvoiceError as invalid:
        refusals, misfits = _refusals(root, invalid, misfits)
        return _FittedInvoice(content, embedded, refusals, misfits)
    totals = compute_totals(invoice)
    fitted, differing = _without_differing_net_amounts(raw, invoice, totals)
    misfits.extend(differing)
    if differing:
        content = invoice_json(fitted)
    misfits.extend(differing_totals(root, totals, invoice.currency, reader.totals))
    return _FittedInvoice(content, embedded, list(_missing_fields(raw)), misfits)


def _missing_fields(raw: Invoice) -> Iterator[LocatedMessage]:
    """Yield the fields that the rules of the model require, and the official sheets do not."""
    if lacks_corrected_invoice(raw):
        path = f"{INVOICE_ROOT}.preceding_invoices"
        message = f"{path} is absent, which the type_code 384 needs"
        yield LocatedMessage(location=value_xpath(raw.type_code), message=message, path=path)
    for at, vat in islice(split_payments_without_rate(raw), MAX_MESSAGES):
        path = f"{INVOICE_ROOT}.{at}.rate"
        message = f"{path} is absent, which the category {vat.category} needs"
        yield LocatedMessage(location=value_xpath(vat.category), message=message, path=path)


def _impossible_identifiers(raw: Invoice, guideline: str) -> Iterator[tuple[str, LocatedMessage]]:
    found = impossible_identifiers(raw, is_xrechnung=_XRECHNUNG in guideline)
    for each in islice(found, _MAX_IMPOSSIBLE_IDENTIFIERS):
        path = f"{INVOICE_ROOT}.{each.path}"
        message = f"{path} {each.message}"
        location = value_xpath(each.value)
        yield each.rule, LocatedMessage(location=location, message=message, path=path)


def _refusals(
    root: ElementReader, invalid: InvalidInvoiceError, misfits: list[LocatedMessage]
) -> tuple[list[LocatedMessage], list[LocatedMessage]]:
    """Return why the content is no complete invoice, and the other misfits."""
    refused = {finding.location: finding for finding in invalid.findings}
    reasons = [misfit for misfit in misfits if misfit.path in refused]
    known = {reason.path for reason in reasons}
    reasons += [
        LocatedMessage(location=root.location, message=finding.message, path=path)
        for path, finding in refused.items()
        if path not in known
    ]
    return reasons, [misfit for misfit in misfits if misfit.path not in refused]


def _embedded_documents(raw: Invoice) -> Iterator[EmbeddedDocument]:
    for position, document in enumerate(raw.supporting_documents[:MAX_ENTRIES]):
        if isinstance(document.filename, LocatedText):
            element = document.filename.place.element
            yield EmbeddedDocument(position, element.own_text or "", element.location)


def _without_differing_net_amounts(
    raw: Invoice, invoice: Invoice, totals: InvoiceTotals
) -> tuple[Invoice, list[LocatedMessage]]:
    """Leave out the net amounts that do not follow from price and quantity, and name each."""
    differing: list[LocatedMessage] = []
    lines = list(invoice.lines)
    for n, (line, computed) in enumerate(zip(invoice.lines, totals.line_net_amounts, strict=True)):
        if line.net_amount not in {None, computed}:
            lines[n] = replace(line, net_amount=None)
            if len(differing) >= MAX_MESSAGES:
                continue
            path = f"{INVOICE_ROOT}.lines[{n}].net_amount"
            message = (
                f"{path} is left out: the document has "
                f"{line.net_amount}; from price, quantity and adjustments follows {computed}"
            )
            location = value_xpath(raw.lines[n].net_amount)
            differing.append(LocatedMessage(location=location, message=message, path=path))
    return (replace(invoice, lines=tuple(lines)) if differing else invoice), differing


def _prefix_by_namespace(namespaces: Mapping[str | None, str]) -> Mapping[str, str]:
    return {namespace: prefix or "" for prefix, namespace in namespaces.items()}


def _ubl_reader(name: str) -> _SyntaxReader:
    prefixes = {**_prefix_by_namespace(UBL), f"{UBL_SCHEMA}:{name}-2": "ubl"}
    return _SyntaxReader("ubl", prefixes, "cbc:CustomizationID", UBL_TOTALS, read_ubl)


_READERS: Final[Mapping[str, _SyntaxReader]] = MappingProxyType(
    {
        f"{{{CII['rsm']}}}CrossIndustryInvoice": _SyntaxReader(
            "cii",
            _prefix_by_namespace(CII),
            "rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID",
            CII_TOTALS,
            read_cii,
        ),
        **{
            f"{{{UBL_SCHEMA}:{name}-2}}{name}": _ubl_reader(name)
            for name in ("Invoice", "CreditNote")
        },
    }
)
