"""Reader for elements of an invoice's XML; it records every element that was read.

Elements that no reader has read are content that the model of an invoice cannot hold.
"""

import datetime as dt
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Never

from lxml import etree

from chalicelib.engine.einvoice.located_values import (
    MAX_MESSAGES,
    LocatedDecimal,
    LocatedMessage,
    LocatedText,
    UnreadableInvoiceError,
    ValuePlace,
)

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,80})?|\.[0-9]{1,80})")
_XSD_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})?")


@dataclass(slots=True)
class XmlDocument:
    """An XML document and the set of its elements that were read."""

    root: etree._Element
    prefixes: Mapping[str, str]
    """Prefix by namespace. Paths use these prefixes, whichever the document declares."""
    read_elements: set[etree._Element] = field(default_factory=set)
    unreadable: list[LocatedMessage] = field(default_factory=list)
    """Values without which the document still is an invoice: each is left out."""
    _prefixed_names: dict[str, str] = field(default_factory=dict)
    _positions: dict[etree._Element, Mapping[etree._Element, str]] = field(default_factory=dict)

    def prefixed_name(self, element: etree._Element) -> str:
        """Return the name of an element with its prefix."""
        tag = str(element.tag)
        known = self._prefixed_names.get(tag)
        if known is None:
            name = etree.QName(tag)
            prefix = self.prefixes.get(name.namespace or "", "?")
            known = self._prefixed_names[tag] = (
                f"{prefix}:{name.localname}" if prefix else name.localname
            )
        return known

    def xpath(self, element: etree._Element) -> str:
        """Return the XPath of an element."""
        steps: list[str] = []
        step: etree._Element | None = element
        while step is not None:
            steps.append(f"/{self.prefixed_name(step)}{self._position(step)}")
            step = step.getparent()
        return "".join(reversed(steps))

    def unread_elements(self) -> tuple[LocatedMessage, ...]:
        """Return the outermost elements that have text and were not read, at most 100."""
        unread: list[LocatedMessage] = []
        ancestors = self._ancestors()
        pending = [self.root]
        while pending and len(unread) < MAX_MESSAGES:
            element = pending.pop()
            # Something inside it was read: only its unread children count.
            if element in ancestors:
                pending.extend(reversed(element))
            elif (
                element not in self.read_elements and "".join(map(str, element.itertext())).strip()
            ):
                unread.append(
                    LocatedMessage(
                        location=self.xpath(element),
                        message=(
                            "The model of an invoice has no place for "
                            f"{self.prefixed_name(element)}"
                        ),
                    )
                )
        return tuple(unread)

    def _ancestors(self) -> set[etree._Element]:
        ancestors: set[etree._Element] = set()
        for element in self.read_elements:
            ancestor = element.getparent()
            while ancestor is not None and ancestor not in ancestors:
                ancestors.add(ancestor)
                ancestor = ancestor.getparent()
        return ancestors

    def _position(self, element: etree._Element) -> str:
        parent = element.getparent()
        if parent is None:
            return ""
        # Once for each parent: a misfit in each of many lines takes linear time.
        if parent not in self._positions:
            self._positions[parent] = _positions(parent)
        return self._positions[parent][element]


def _positions(parent: etree._Element) -> Mapping[etree._Element, str]:
    """Return the position of each child among those of its name; none for the only one."""
    counts = Counter(child.tag for child in parent)
    before = Counter[object]()
    positions: dict[etree._Element, str] = {}
    for child in parent:
        before[child.tag] += 1
        positions[child] = f"[{before[child.tag]}]" if counts[child.tag] > 1 else ""
    return positions


class ElementReader:
    """An element and its children by prefixed name; reading a value marks its element as read."""

    __slots__ = ("_children", "document", "lxml_element")

    def __init__(self, document: XmlDocument, element: etree._Element) -> None:
        self.document = document
        self.lxml_element = element
        self._children: dict[str, list[etree._Element]] = {}
        for child in element:
            self._children.setdefault(document.prefixed_name(child), []).append(child)

    def find_all(self, path: str) -> Iterator["ElementReader"]:
        """Yield the elements at a path of prefixed names, such as `cac:Party/cbc:ID`."""
        name, _, rest = path.partition("/")
        for child in self._children.get(name, ()):
            part = ElementReader(self.document, child)
            if rest:
                yield from part.find_all(rest)
            else:
                yield part

    def find(self, path: str) -> "ElementReader | None":
        """Return the first element at a path, or None."""
        return next(self.find_all(path), None)

    def require(self, path: str) -> "ElementReader":
        """Return the first element at a path; raise UnreadableInvoiceError if there is none."""
        return self.find(path) or self.raise_missing(path)

    def text(self, path: str) -> str | None:
        """Return the text of the first element at a path; None if it is absent or blank."""
        part = self.find(path)
        return part.own_text if part else None

    def require_text(self, path: str) -> str:
        """Return the text at a path; raise UnreadableInvoiceError if there is none."""
        return self.text(path) or self.raise_missing(path)

    def code(self, path: str) -> str | None:
        """Return the text at a path without surrounding white space."""
        part = self.find(path)
        text = part.own_text if part else None
        return LocatedText.of(text.strip(), ValuePlace(part)) if part and text else None

    def require_code(self, path: str) -> str:
        """Return the code at a path; raise UnreadableInvoiceError if there is none."""
        return self.code(path) or self.raise_missing(path)

    def number(self, path: str) -> Decimal | None:
        """Return the number at a path; None if it is absent or no number, which is noted."""
        part = self.find(path)
        return self.read_or_note(part.own_number) if part else None

    def own_number(self) -> Decimal | None:
        """Return the element's own text as a number; raise UnreadableInvoiceError."""
        text = self.own_text
        if text is None:
            return None
        if not _DECIMAL.fullmatch(text.strip()):
            raise self.unreadable_error(
                "is no decimal number with at most 15 digits before the point"
            )
        return LocatedDecimal.of(text.strip(), ValuePlace(self))

    def own_divisor(self) -> Decimal | None:
        """Return the element's own text as a number that is not 0; raise UnreadableInvoiceError."""
        number = self.own_number()
        if number == 0:
            raise self.unreadable_error("is 0, by which nothing can be divided, and is left out")
        return number

    def require_number(self, path: str) -> Decimal:
        """Return the number at a path; raise UnreadableInvoiceError if there is none."""
        part = self.find(path)
        number = part.own_number() if part else None
        return self.raise_missing(path) if number is None else number

    def iso_date(self, path: str) -> dt.date | None:
        """Return the date at a path, as `require_iso_date`; None if it is none, which is noted."""
        return self.read_or_note(lambda: self._iso_date(path))

    def require_iso_date(self, path: str) -> dt.date:
        """Return the date at a path in the form of UBL (xsd:date); a time zone is dropped.

        Raise UnreadableInvoiceError if there is none.
        """
        return self._iso_date(path) or self.raise_missing(path)

    def _iso_date(self, path: str) -> dt.date | None:
        part = self.find(path)
        text = part.own_text if part else None
        if part is None or text is None:
            return None
        match = _XSD_DATE.fullmatch(text.strip())
        if not match:
            raise part.unreadable_error("is no date such as 2026-11-22")
        return part.calendar_date(*match.groups())

    def calendar_date(self, year: str, month: str, day: str) -> dt.date:
        """Return the date of these digits; raise UnreadableInvoiceError for 2026-02-30."""
        try:
            return dt.date(int(year), int(month), int(day))
        except ValueError as error:
            raise self.unreadable_error("is no date of the calendar") from error

    @property
    def own_text(self) -> str | None:
        """The element's own text; None if it is blank. Marks the element as read."""
        self.document.read_elements.add(self.lxml_element)
        text = self.lxml_element.text
        return LocatedText.of(text, ValuePlace(self)) if text and text.strip() else None

    def mark_read_if_equal(self, path: str, expected: str | None) -> None:
        """Mark the first element at a path as read if its text only repeats a known value."""
        part = self.find(path)
        if part is not None and (part.lxml_element.text or "").strip() == (expected or "").strip():
            part.document.read_elements.add(part.lxml_element)

    @property
    def location(self) -> str:
        """The XPath of the element."""
        return self.document.xpath(self.lxml_element)

    def attribute(self, name: str) -> str | None:
        """Return the value of an attribute; None if it is absent or empty."""
        value = self.lxml_element.get(name)
        return LocatedText.of(value, ValuePlace(self, name)) if value else None

    def peek(self, path: str) -> str:
        """Return the code at a path, or an empty text, without marking it as read."""
        part = self.find(path)
        return (part.lxml_element.text or "").strip() if part else ""

    def has_code(self, path: str, code: str) -> bool:
        """Tell whether the code at a path is this one, and mark it as read if so."""
        if self.peek(path) != code:
            return False
        self.mark_read(path)
        return True

    def mark_read(self, *paths: str) -> None:
        """Mark whole subtrees as read: values that the model computes or implies."""
        for path in paths:
            for part in self.find_all(path):
                part.mark_subtree_read()

    def mark_subtree_read(self) -> None:
        """Mark the element and its descendants as read."""
        self.document.read_elements.update(self.lxml_element.iter())

    def read_or_note[Value](self, read: Callable[[], Value | None]) -> Value | None:
        """Read a value that is not required; note it if it is unreadable, and return None."""
        try:
            return read()
        except UnreadableInvoiceError as error:
            if len(self.document.unreadable) < MAX_MESSAGES:
                self.document.unreadable.append(error.problem)
            return None

    def unreadable_error(self, complaint: str) -> UnreadableInvoiceError:
        """Return an UnreadableInvoiceError at this element."""
        name = self.document.prefixed_name(self.lxml_element)
        return UnreadableInvoiceError(self.location, f"{name} {complaint}")

    def raise_missing(self, path: str) -> Never:
        """Raise UnreadableInvoiceError for an element that is absent or blank."""
        raise self.unreadable_error(f"has no {path} with a value")


def embedded_file(element: ElementReader | None) -> dict[str, str | None]:
    """Return name and media type of an embedded document (BT-125); without both it stays unread.

    Their place is the element, whose text is the document.
    """
    if element is None:
        return {}
    filename, content_type = element.attribute("filename"), element.attribute("mimeCode")
    if filename is None or content_type is None or not element.own_text:
        return {}
    return {"filename": filename, "content_type": content_type}
