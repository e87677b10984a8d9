"""XML as plain values: what is absent vanishes, and the same invoice gives the same bytes."""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Final, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from chalicelib.engine.einvoice.model import Invoice

_DECLARATION: Final = "<?xml version='1.0' encoding='UTF-8'?>\n"
_SPECIAL_CHARACTERS: Final = re.compile("[&<>\r]")
_SKONTO_LINE: Final = re.compile(r"^\s*#", re.MULTILINE)
# Readers take a bare one for the end of a line.
_CARRIAGE_RETURN: Final = {"\r": "&#13;"}


class XmlNode(NamedTuple):
    """An element: its prefixed name, and either text or children."""

    tag: str
    text: str | None
    attributes: dict[str, str]
    children: Sequence["XmlNode"]


def leaf(tag: str, text: str | None, **attributes: str | None) -> XmlNode | None:
    """Return an element with text, or None without any: EN 16931 knows no empty elements."""
    if text is None or not text.strip():
        return None
    if not attributes:
        return XmlNode(tag, text, {}, ())
    return XmlNode(tag, text, {name: value for name, value in attributes.items() if value}, ())


def group(tag: str, *children: XmlNode | None) -> XmlNode | None:
    """Return an element around those children that there are, or None when there are none."""
    present = [child for child in children if child is not None]
    return XmlNode(tag, None, {}, present) if present else None


def format_amount(value: Decimal | None) -> str | None:
    """Write money, with two decimals."""
    return None if value is None else f"{value:.2f}"


def format_number(value: Decimal | None) -> str | None:
    """Write a price or a quantity, with the digits that it has."""
    return None if value is None else f"{value:f}"


def format_rate(value: Decimal | None) -> str | None:
    """Write a percentage in its shortest form, so that equal rates are equal texts."""
    return None if value is None else f"{value.normalize():f}"


def format_date(value: dt.date | None) -> str | None:
    """Write a date as UBL does."""
    return None if value is None else value.isoformat()


def format_date_102(value: dt.date | None) -> str | None:
    """Write a date in the format 102 of UNTDID 2379."""
    return None if value is None else f"{value:%Y%m%d}".zfill(8)


def payment_terms_text(invoice: Invoice) -> str | None:
    """Return the terms; discount terms must end with the end of a line (XRechnung BR-DE-18)."""
    terms = invoice.payment_terms
    if terms and terms.rstrip(" \t").endswith("#") and _SKONTO_LINE.search(terms):
        return f"{terms}\n"
    return terms


def serialise_xml(root: XmlNode, namespaces: Mapping[str | None, str]) -> bytes:
    """Write the document, without white space that nobody asked for.

    As text: nodes are whole and in order, and a tree of lxml would take five times as long.
    """
    declared = {f"xmlns:{prefix}" if prefix else "xmlns": ns for prefix, ns in namespaces.items()}
    parts = [_DECLARATION]
    _append_nodes(parts, [root._replace(attributes={**declared, **root.attributes})])
    return "".join(parts).encode()


def _append_nodes(parts: list[str], nodes: Sequence[XmlNode]) -> None:
    for tag, text, attributes, children in nodes:
        opened = tag
        if attributes:
            opened += "".join(f" {name}={quoteattr(value)}" for name, value in attributes.items())
        if children:
            parts.append(f"<{opened}>")
            _append_nodes(parts, children)
            parts.append(f"</{tag}>")
        elif text:
            parts.append(f"<{opened}>{_escape(text)}</{tag}>")
        else:
            parts.append(f"<{opened}/>")


def _escape(text: str) -> str:
    # Most texts have nothing that means something else.
    return escape(text, _CARRIAGE_RETURN) if _SPECIAL_CHARACTERS.search(text) else text
