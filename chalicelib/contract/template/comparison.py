"""Comparison of two versions of a template."""

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from chalicelib.contract.base import Model

ComparedVersion = Literal["live", "draft"] | Annotated[int, Field(ge=1)]


class ComparisonRequest(Model):
    """Two versions of a template, and the data that both are made of."""

    from_: Annotated[ComparedVersion, Field(alias="from")]
    """The version before: its number, `live`, or `draft`, which needs a test key or a workspace
    that allows it."""
    to: ComparedVersion
    """The version after, as `from`."""
    dataset_id: Annotated[str, StringConstraints(min_length=1, max_length=64)] | None = None
    """Id of a dataset of the template, `ds_…`. Null: the default dataset, or no data without
    one."""
    dpi: Annotated[int, Field(ge=36, le=300)] = 96
    """Pixels of the pictures for each inch."""


class PageComparison(Model):
    """A page of both documents, or of one of them."""

    page: int
    """Number of the page, from 1."""
    changed: float
    """Share of its pixels that differ visibly, from 0 to 1. 1 for a page of one document only."""
    from_url: str | None
    """The page before, a PNG; null if it is new."""
    to_url: str | None
    """The page after, a PNG; null if it is gone."""
    diff_url: str | None
    """The page with its changes, a PNG: red was there before, blue is new, violet has another
    colour. Null for a page of one document only."""


class TextComparison(Model):
    """A changed text: lines, or words where lines are broken otherwise."""

    page: int
    """Number of the page, from 1: after the change, or before it for a removed text."""
    kind: Literal["added", "removed", "changed"]
    """What became of the text."""
    from_: Annotated[str | None, Field(alias="from")]
    """The text before, of at most 2,000 characters; null if it is added."""
    to: str | None
    """The text after, of at most 2,000 characters; null if it is removed."""


class Comparison(Model):
    """The differences of two versions of a template."""

    object: Literal["comparison"]
    pages: list[PageComparison]
    """All pages, in order. Their addresses are valid for an hour."""
    text_changes: list[TextComparison]
    """Changes of the text, at most 500, in reading order. A text that only moves to another page is
    no change."""
