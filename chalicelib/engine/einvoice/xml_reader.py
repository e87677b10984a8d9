"""Walking through a document, with a note of what has been read and of what nobody asked for."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Never

from lxml import etree

_MAX_UNREAD: Final = 100
# Within these digits, whatever follows from the numbers can be computed exactly enough.
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})")
_XSD_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedMessage:
    """Something about the place that an XPath leads to."""

    location: str
    message: str


class UnreadableInvoiceError(ValueError):
    """A document that this model of an invoice cannot be made of."""

    def __init__(self, location: str, message: str) -> None:
        super().__init__(message)
        self.problem = LocatedMessage(location=location, message=message)


@dataclass(slots=True)
class XmlDocument:
    """A document on its way into the model."""

    root: etree._Element
    prefixes: Mapping[str, str]
    """Prefix by namespace; names here are written with them."""
    read_elements: set[etree._Element] = field(default_factory=set)
    _prefixed_names: dict[str, str] = field(default_factory=dict)

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
        """Return the outermost elements that nobody asked for, as far as they say anything."""
        remarks: list[LocatedMessage] = []
        touched = self._ancestors()
        pending = [self.root]
        while pending and len(remarks) < _MAX_UNREAD:
            element = pending.pop()
            if element in touched:
                pending.extend(reversed(element))
            elif (
                element not in self.read_elements and "".join(map(str, element.itertext())).strip()
            ):
                remarks.append(
                    LocatedMessage(
                        location=self.xpath(element),
                        message=(
                            "The model of an invoice has no place for "
                            f"{self.prefixed_name(element)}"
                        ),
                    )
                )
        return tuple(remarks)

    def _ancestors(self) -> set[etree._Element]:
        found: set[etree._Element] = set()
        for element in self.read_elements:
            ancestor = element.getparent()
            while ancestor is not None and ancestor not in found:
                found.add(ancestor)
                ancestor = ancestor.getparent()
        return found

    @staticmethod
    def _position(element: etree._Element) -> str:
        before = sum(1 for _ in element.itersiblings(element.tag, preceding=True))
        is_alone = not before and next(element.itersiblings(element.tag), None) is None
        return "" if is_alone else f"[{before + 1}]"


class ElementReader:
    """An element, and its children by name."""

    __slots__ = ("_children", "document", "lxml_element")

    def __init__(self, document: XmlDocument, element: etree._Element) -> None:
        self.document = document
        self.lxml_element = element
        self._children: dict[str, list[etree._Element]] = {}
        for child in element:
            self._children.setdefault(document.prefixed_name(child), []).append(child)

    def find_all(self, path: str) -> Iterator["ElementReader"]:
        """Give the elements that a path leads to."""
        name, _, rest = path.partition("/")
        for child in self._children.get(name, ()):
            part = ElementReader(self.document, child)
            if rest:
                yield from part.find_all(rest)
            else:
                yield part

    def find(self, path: str) -> "ElementReader | None":
        """Return the first element that a path leads to."""
        return next(self.find_all(path), None)

    def require(self, path: str) -> "ElementReader":
        """Return the first element that a path leads to; without it there is no invoice."""
        return self.find(path) or self.raise_missing(path)

    def text(self, path: str) -> str | None:
        """Return the text of the first element that a path leads to, if it has any."""
        part = self.find(path)
        return part.own_text if part else None

    def require_text(self, path: str) -> str:
        """Return the text at a path; without it there is no invoice."""
        return self.text(path) or self.raise_missing(path)

    def code(self, path: str) -> str | None:
        """Return the text at a path without the white space around it."""
        text = self.text(path)
        return text.strip() if text else None

    def require_code(self, path: str) -> str:
        """Return the code at a path; without it there is no invoice."""
        return self.code(path) or self.raise_missing(path)

    def number(self, path: str) -> Decimal | None:
        """Return the number at a path."""
        part = self.find(path)
        return part.own_number() if part else None

    def own_number(self) -> Decimal | None:
        """Return the number that the element itself is."""
        text = self.own_text
        if text is None:
            return None
        if not _DECIMAL.fullmatch(text.strip()):
            raise self.unreadable_error(
                "is no decimal number with at most 15 digits before the point"
            )
        return Decimal(text.strip())

    def require_number(self, path: str) -> Decimal:
        """Return the number at a path; without it there is no invoice."""
        number = self.number(path)
        return self.raise_missing(path) if number is None else number

    def iso_date(self, path: str) -> dt.date | None:
        """Return the date at a path, written as in UBL; a time zone is dropped."""
        part = self.find(path)
        text = part.own_text if part else None
        if part is None or text is None:
            return None
        found = _XSD_DATE.fullmatch(text.strip())
        if not found:
            raise part.unreadable_error("is no date such as 2026-11-22")
        return part.calendar_date(*found.groups())

    def calendar_date(self, year: str, month: str, day: str) -> dt.date:
        """Return a date of the calendar."""
        try:
            return dt.date(int(year), int(month), int(day))
        except ValueError as error:
            raise self.unreadable_error("is no date of the calendar") from error

    @property
    def own_text(self) -> str | None:
        """The text of the element itself, if it has any."""
        self.document.read_elements.add(self.lxml_element)
        text = self.lxml_element.text
        return text if text and text.strip() else None

    def mark_read_if_equal(self, path: str, expected: str | None) -> None:
        """Count a repetition of what is known as read."""
        part = self.find(path)
        if part is not None and (part.lxml_element.text or "").strip() == (expected or "").strip():
            part.document.read_elements.add(part.lxml_element)

    @property
    def location(self) -> str:
        """The XPath of the element."""
        return self.document.xpath(self.lxml_element)

    def attribute(self, name: str) -> str | None:
        """Return an attribute, if it has a value."""
        return self.lxml_element.get(name) or None

    def peek(self, path: str) -> str:
        """Return the code at a path without counting it as read."""
        part = self.find(path)
        return (part.lxml_element.text or "").strip() if part else ""

    def has_code(self, path: str, code: str) -> bool:
        """Tell whether this code stands at a path, and count it as read if so."""
        if self.peek(path) != code:
            return False
        self.mark_read(path)
        return True

    def mark_read(self, *paths: str) -> None:
        """Count what follows from the rest of the invoice as read."""
        for path in paths:
            for part in self.find_all(path):
                part.mark_subtree_read()

    def mark_subtree_read(self) -> None:
        """Count the element and all within as read."""
        self.document.read_elements.update(self.lxml_element.iter())

    def unreadable_error(self, complaint: str) -> UnreadableInvoiceError:
        """Return the error that this element makes."""
        name = self.document.prefixed_name(self.lxml_element)
        return UnreadableInvoiceError(self.location, f"{name} {complaint}")

    def raise_missing(self, path: str) -> Never:
        """Raise the error that the absence of an element makes."""
        raise self.unreadable_error(f"has no {path} with a value")
