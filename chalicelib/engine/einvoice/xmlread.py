"""Walking through a document, with a note of what has been read and of what nobody asked for."""

import datetime as dt
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, Never

from lxml import etree

_MAX_REMARKS: Final = 100
# Within these digits, whatever follows from the numbers can be computed exactly enough.
_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]{1,15}(?:\.[0-9]{0,20})?|\.[0-9]{1,20})")
_DAY: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something about the place that an XPath leads to."""

    location: str
    message: str


class UnreadableInvoiceError(ValueError):
    """A document that this model of an invoice cannot be made of."""

    def __init__(self, location: str, message: str) -> None:
        super().__init__(message)
        self.remark = Remark(location=location, message=message)


@dataclass(slots=True)
class Document:
    """A document on its way into the model."""

    root: etree._Element
    prefixes: Mapping[str, str]
    """Prefix by namespace; names here are written with them."""
    read: set[etree._Element] = field(default_factory=set)
    names: dict[str, str] = field(default_factory=dict)

    def name(self, element: etree._Element) -> str:
        """Return the name of an element with its prefix."""
        tag = str(element.tag)
        known = self.names.get(tag)
        if known is None:
            name = etree.QName(tag)
            prefix = self.prefixes.get(name.namespace or "", "?")
            known = self.names[tag] = f"{prefix}:{name.localname}" if prefix else name.localname
        return known

    def location(self, element: etree._Element) -> str:
        """Return the XPath of an element."""
        steps: list[str] = []
        step: etree._Element | None = element
        while step is not None:
            steps.append(f"/{self.name(step)}{self._position(step)}")
            step = step.getparent()
        return "".join(reversed(steps))

    def unread(self) -> tuple[Remark, ...]:
        """Return the outermost elements that nobody asked for, as far as they say anything."""
        remarks: list[Remark] = []
        touched = self._ancestors()
        pending = [self.root]
        while pending and len(remarks) < _MAX_REMARKS:
            element = pending.pop()
            if element in touched:
                pending.extend(reversed(element))
            elif element not in self.read and "".join(map(str, element.itertext())).strip():
                remarks.append(
                    Remark(
                        location=self.location(element),
                        message=f"The model of an invoice has no place for {self.name(element)}",
                    )
                )
        return tuple(remarks)

    def _ancestors(self) -> set[etree._Element]:
        found: set[etree._Element] = set()
        for element in self.read:
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


class Part:
    """An element, and its children by name."""

    __slots__ = ("_children", "document", "element")

    def __init__(self, document: Document, element: etree._Element) -> None:
        self.document = document
        self.element = element
        self._children: dict[str, list[etree._Element]] = {}
        for child in element:
            self._children.setdefault(document.name(child), []).append(child)

    def all(self, path: str) -> Iterator["Part"]:
        """Give the elements that a path leads to."""
        name, _, rest = path.partition("/")
        for child in self._children.get(name, ()):
            part = Part(self.document, child)
            if rest:
                yield from part.all(rest)
            else:
                yield part

    def one(self, path: str) -> "Part | None":
        """Return the first element that a path leads to."""
        return next(self.all(path), None)

    def need(self, path: str) -> "Part":
        """Return the first element that a path leads to; without it there is no invoice."""
        return self.one(path) or self.lack(path)

    def text(self, path: str) -> str | None:
        """Return the text of the first element that a path leads to, if it has any."""
        part = self.one(path)
        return part.value if part else None

    def need_text(self, path: str) -> str:
        """Return the text at a path; without it there is no invoice."""
        return self.text(path) or self.lack(path)

    def code(self, path: str) -> str | None:
        """Return the text at a path without the white space around it."""
        text = self.text(path)
        return text.strip() if text else None

    def need_code(self, path: str) -> str:
        """Return the code at a path; without it there is no invoice."""
        return self.code(path) or self.lack(path)

    def number(self, path: str) -> Decimal | None:
        """Return the number at a path."""
        part = self.one(path)
        return part.own_number() if part else None

    def own_number(self) -> Decimal | None:
        """Return the number that the element itself is."""
        text = self.value
        if text is None:
            return None
        if not _DECIMAL.fullmatch(text.strip()):
            raise self.unreadable("is no decimal number with at most 15 digits before the point")
        return Decimal(text.strip())

    def need_number(self, path: str) -> Decimal:
        """Return the number at a path; without it there is no invoice."""
        number = self.number(path)
        return self.lack(path) if number is None else number

    def day(self, path: str) -> dt.date | None:
        """Return the date at a path, written as in UBL; a time zone is dropped."""
        part = self.one(path)
        text = part.value if part else None
        if part is None or text is None:
            return None
        found = _DAY.fullmatch(text.strip())
        if not found:
            raise part.unreadable("is no date such as 2026-11-22")
        return part.date(*found.groups())

    def date(self, year: str, month: str, day: str) -> dt.date:
        """Return a date of the calendar."""
        try:
            return dt.date(int(year), int(month), int(day))
        except ValueError as error:
            raise self.unreadable("is no date of the calendar") from error

    @property
    def value(self) -> str | None:
        """The text of the element itself, if it has any."""
        self.document.read.add(self.element)
        text = self.element.text
        return text if text and text.strip() else None

    def confirm(self, path: str, known: str | None) -> None:
        """Count a repetition of what is known as read."""
        part = self.one(path)
        if part is not None and (part.element.text or "").strip() == (known or "").strip():
            part.document.read.add(part.element)

    @property
    def location(self) -> str:
        """The XPath of the element."""
        return self.document.location(self.element)

    def attribute(self, name: str) -> str | None:
        """Return an attribute, if it has a value."""
        return self.element.get(name) or None

    def peek(self, path: str) -> str:
        """Return the code at a path without counting it as read."""
        part = self.one(path)
        return (part.element.text or "").strip() if part else ""

    def has(self, path: str, code: str) -> bool:
        """Tell whether this code stands at a path, and count it as read if so."""
        if self.peek(path) != code:
            return False
        self.pass_over(path)
        return True

    def pass_over(self, *paths: str) -> None:
        """Count what follows from the rest of the invoice as read."""
        for path in paths:
            for part in self.all(path):
                part.ignore()

    def ignore(self) -> None:
        """Count the element and all within as read."""
        self.document.read.update(self.element.iter())

    def unreadable(self, complaint: str) -> UnreadableInvoiceError:
        """Return the error that this element makes."""
        name = self.document.name(self.element)
        return UnreadableInvoiceError(self.location, f"{name} {complaint}")

    def lack(self, path: str) -> Never:
        """Raise the error that the absence of an element makes."""
        raise self.unreadable(f"has no {path} with a value")
