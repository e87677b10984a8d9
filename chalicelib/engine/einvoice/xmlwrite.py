"""XML as plain values: what is absent vanishes, and the same invoice gives the same bytes."""

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from lxml import etree

from chalicelib.engine.einvoice.model import Invoice


class Node(NamedTuple):
    """An element: its prefixed name, and either text or children."""

    tag: str
    text: str | None
    attributes: dict[str, str]
    children: Sequence["Node"]


def leaf(tag: str, text: str | None, **attributes: str | None) -> Node | None:
    """Return an element with text, or None without any: EN 16931 knows no empty elements."""
    if text is None or not text.strip():
        return None
    if not attributes:
        return Node(tag, text, {}, ())
    return Node(tag, text, {name: value for name, value in attributes.items() if value}, ())


def group(tag: str, *children: Node | None) -> Node | None:
    """Return an element around those children that there are, or None when there are none."""
    present = [child for child in children if child is not None]
    return Node(tag, None, {}, present) if present else None


def amount(value: Decimal | None) -> str | None:
    """Write money, with two decimals."""
    return None if value is None else f"{value:.2f}"


def number(value: Decimal | None) -> str | None:
    """Write a price or a quantity, with the digits that it has."""
    return None if value is None else f"{value:f}"


def rate(value: Decimal | None) -> str | None:
    """Write a percentage in its shortest form, so that equal rates are equal texts."""
    return None if value is None else f"{value.normalize():f}"


def day(value: dt.date | None) -> str | None:
    """Write a date as UBL does."""
    return None if value is None else value.isoformat()


def compact_day(value: dt.date | None) -> str | None:
    """Write a date in the format 102 of UNTDID 2379."""
    return None if value is None else f"{value:%Y%m%d}".zfill(8)


def payment_terms(invoice: Invoice) -> str | None:
    """Return the terms; a line of discount terms must end (XRechnung BR-DE-18)."""
    terms = invoice.payment_terms
    if terms and terms.rpartition("\n")[2].startswith("#"):
        return f"{terms}\n"
    return terms


def serialise(root: Node, namespaces: Mapping[str | None, str]) -> bytes:
    """Write the document, without white space that nobody asked for."""
    names = _Names(namespaces)
    prefixes: Any = dict(namespaces)  # the type stubs know of no default namespace
    element = etree.Element(names[root.tag], nsmap=prefixes)
    _append(element, root.children, names)
    return etree.tostring(element, xml_declaration=True, encoding="UTF-8")


class _Names(dict[str, str]):
    """Full names by prefixed ones; a name without a prefix is of the default namespace."""

    def __init__(self, namespaces: Mapping[str | None, str]) -> None:
        super().__init__()
        self._namespaces = namespaces

    def __missing__(self, tag: str) -> str:
        prefix, _, name = tag.rpartition(":")
        self[tag] = full = f"{{{self._namespaces[prefix or None]}}}{name}"
        return full


def _append(element: etree._Element, nodes: Sequence[Node], names: _Names) -> None:
    for tag, text, attributes, children in nodes:
        part = etree.SubElement(element, names[tag], attributes or None)
        if children:
            _append(part, children, names)
        elif text:
            part.text = text
