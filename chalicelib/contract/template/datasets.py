"""Datasets: data that a template is tried with."""

from typing import Annotated, Any, Literal

from pydantic import Field

from chalicelib.contract.base import Model
from chalicelib.contract.template.template import DisplayName


class DatasetRequest(Model):
    """A dataset to be made, or the whole of one that is replaced."""

    name: DisplayName
    data: dict[str, Any]
    """What a render sends as `data`. Publishing renders it; until then it may be anything."""
    is_default: bool | None = None
    """Exactly one dataset is the default, where there is any. True: this one, from now on. Null:
    the first one is, and stays it."""


class DatasetSummary(Model):
    """A dataset without its data."""

    id: str
    object: Literal["dataset"]
    template_id: str
    name: str
    is_default: bool
    created_at: str
    updated_at: str


class Dataset(DatasetSummary):
    """A dataset."""

    data: dict[str, Any]


class DatasetList(Model):
    """All datasets of a template, in the order in which they were made: one page."""

    object: Literal["list"]
    data: list[DatasetSummary]
    has_more: bool
    next_cursor: str | None


class InferredSchema(Model):
    """A JSON Schema (2020-12) that all datasets of a template fit."""

    object: Literal["inferred_schema"]
    template_id: str
    datasets: int
    """How many it was made from."""
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
