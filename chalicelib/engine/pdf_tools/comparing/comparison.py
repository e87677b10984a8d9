"""Comparison of two documents, as the tool returns it beside its pictures."""

from typing import Annotated, Final, Literal

import msgspec

MAX_PAGES: Final = 50
"""Pages of each document."""
MAX_TEXT_CHANGES: Final = 500
MAX_TEXT_CHARACTERS: Final = 2_000

type TextChangeKind = Literal["added", "removed", "changed"]
type _Page = Annotated[int, msgspec.Meta(ge=1, le=MAX_PAGES)]
type _File = Annotated[int, msgspec.Meta(ge=0, lt=3 * MAX_PAGES)]


class ComparedPage(msgspec.Struct, frozen=True):
    """Page of both documents or of one; its pictures are numbers of the files beside it.

    `changed` is the share of its pixels. A page without changes has one picture for both documents.
    """

    page: _Page
    changed: Annotated[float, msgspec.Meta(ge=0, le=1)]
    from_picture: _File | None
    to_picture: _File | None
    diff_picture: _File | None


class TextChange(msgspec.Struct, frozen=True):
    """Changed text; the page is that of the second document, or of the first if it is removed."""

    page: _Page
    kind: TextChangeKind
    from_: str | None = msgspec.field(name="from")
    to: str | None = msgspec.field()


class Comparison(msgspec.Struct, frozen=True):
    """All pages in order, and the changes of the texts in reading order."""

    pages: Annotated[tuple[ComparedPage, ...], msgspec.Meta(max_length=MAX_PAGES)]
    text_changes: Annotated[tuple[TextChange, ...], msgspec.Meta(max_length=MAX_TEXT_CHANGES)]
