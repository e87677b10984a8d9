"""Values of a document that know their element, and messages that name its XPath."""

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple, Self

if TYPE_CHECKING:
    from chalicelib.engine.einvoice.xml_reader import ElementReader


MAX_MESSAGES: Final = 100
"""Bound of each kind of messages about a document; a report shows fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocatedMessage:
    """A message, the XPath that it is about, and the JSON path of the field where it is known."""

    location: str
    message: str
    path: str | None = None


class UnreadableInvoiceError(ValueError):
    """A document from which no invoice can be built; `problem` has the reason and the place."""

    def __init__(self, location: str, message: str) -> None:
        super().__init__(message)
        self.problem = LocatedMessage(location=location, message=message)


class ValuePlace(NamedTuple):
    """An element, or one of its attributes."""

    element: "ElementReader"
    attribute: str = ""

    @property
    def xpath(self) -> str:
        """The XPath of the value."""
        path = self.element.location
        return f"{path}/@{self.attribute}" if self.attribute else path


class LocatedText(str):
    """A text and its place."""

    __slots__ = ("place",)
    place: ValuePlace

    @classmethod
    def of(cls, text: str, place: ValuePlace) -> Self:
        """Return a text that knows its place."""
        located = cls(text)
        located.place = place
        return located


class LocatedDecimal(Decimal):
    """A number and its place."""

    __slots__ = ("place",)
    place: ValuePlace

    @classmethod
    def of(cls, text: str, place: ValuePlace) -> Self:
        """Return a number that knows its place."""
        located = cls(text)
        located.place = place
        return located


def value_xpath(value: object) -> str:
    """Return the XPath of a value, or an empty text if it was not read from a document."""
    if isinstance(value, LocatedText | LocatedDecimal):
        return value.place.xpath
    return ""
