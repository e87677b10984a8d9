"""Datasets: sample data of a template."""

from typing import Annotated, Literal

from pydantic import Field

from chalicelib.contract.base import Model, Query
from chalicelib.contract.field_types import Cursor, PageLimit, UncheckedJson
from chalicelib.contract.template.template import DisplayName


class DatasetRequest(Model):
    """A new dataset, or the whole replacement of one."""

    name: DisplayName
    """A name for people."""
    data: dict[str, UncheckedJson]
    """The `data` of a render. It is not checked before publishing renders it."""
    is_default: bool | None = None
    """Exactly one dataset of a template is the default. True: this one, from now on. Null: the
    first dataset of a template becomes the default, and the default stays the default."""


class DatasetSummary(Model):
    """A dataset without its data."""

    id: str
    """Id of the dataset, `ds_…`."""
    object: Literal["dataset"]
    template_id: str
    """Id of the template, `tpl_…`."""
    name: str
    """A name for people."""
    is_default: bool
    """Whether it is the default dataset of the template, which previews take."""
    created_at: str
    updated_at: str


class Dataset(DatasetSummary):
    """A dataset."""

    data: dict[str, UncheckedJson]
    """The `data` of a render."""


class DatasetQuery(Query):
    """Paging of a template's datasets."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page."""


class DatasetList(Model):
    """One page of a template's datasets, in the order in which they were made."""

    object: Literal["list"]
    data: list[DatasetSummary]
    """Datasets of this page."""
    has_more: bool
    next_cursor: str | None


class InferredSchema(Model):
    """A JSON Schema (2020-12) that all datasets of a template fit."""

    object: Literal["inferred_schema"]
    template_id: str
    """Id of the template, `tpl_…`."""
    datasets: int
    """Number of datasets that it was inferred from."""
    schema_: Annotated[dict[str, UncheckedJson], Field(alias="schema")]
    """The JSON Schema (2020-12)."""
