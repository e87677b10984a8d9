"""Values of a document that know their element, so that a misfit on them names its XPath."""

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from chalicelib.engine.einvoice.xml_reader import ElementReader


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
    """Return the XPath of a value, or an empty text for one that was not read from a document."""
    if isinstance(value, LocatedText | LocatedDecimal):
        return value.place.xpath
    return ""
