"""Templates: what makes and changes them, their drafts and versions."""

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from chalicelib.contract.base import Model
from chalicelib.contract.field_types import PageLimit, QueryFlag
from chalicelib.contract.render.pdf import HeaderFooter
from chalicelib.contract.template.options import TemplateOptions
from chalicelib.contract.template.scene import SceneObject

TemplateType = Literal["html", "image_canvas"]
DisplayName = Annotated[str, StringConstraints(min_length=1, max_length=120)]
Description = Annotated[str, StringConstraints(max_length=5000)]
SourceText = Annotated[str, StringConstraints(max_length=4_000_000)]
HeaderFooterText = Annotated[str, StringConstraints(max_length=200_000)]
Cursor = Annotated[str, StringConstraints(max_length=1000)]


class TemplateContent(Model):
    """What a template is made of: `scene` of type `image_canvas`, all else of type `html`."""

    html: SourceText | None = None
    """The document, in the template language (Jinja2)."""
    head: SourceText | None = None
    """Put first into the document's head; in the template language."""
    css: SourceText | None = None
    """Put into the head after that, as a style sheet; in the template language."""
    header: HeaderFooterText | HeaderFooter | None = None
    """The HTML of the page header, or all of its members (`enabled` is true where it is absent):
    the default of `output.pdf.header`."""
    footer: HeaderFooterText | HeaderFooter | None = None
    scene: SceneObject | None = None
    """The design of a canvas."""


class TemplateSourceFields(TemplateContent):
    """What a draft holds: the members of its content, or all of them as `content`."""

    content: TemplateContent | None = None
    """The whole content, in place of its members."""
    options: TemplateOptions | None = None
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")] = None
    """A JSON Schema (2020-12) that data must fit."""

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        members = TemplateContent.model_fields
        if self.content is not None and any(getattr(self, name) is not None for name in members):
            message = "content stands in place of html, head, css, header, footer and scene"
            raise ValueError(message)
        return self


class DatasetSpec(Model):
    """Data that a template is tried with."""

    name: DisplayName
    data: dict[str, Any]
    is_default: bool = False
    """Exactly one is, where there is any: the first one where none says so."""


class TemplateRequest(TemplateSourceFields):
    """A template to be made."""

    name: DisplayName
    description: Description | None = None
    type: TemplateType = "html"
    """It never changes."""
    datasets: Annotated[list[DatasetSpec], Field(max_length=50)] = Field(default=[])
    publish: bool = False
    """Publish it as version 1 at once: all datasets are rendered first, and where one fails nothing
    is made at all."""


class TemplateChange(Model):
    """What is changed of a template; what is absent stays."""

    name: DisplayName | None = None
    description: Description | None = None
    """Null removes it."""

    @model_validator(mode="after")
    def _check_name(self) -> Self:
        if "name" in self.model_fields_set and self.name is None:
            message = "name must be a string"
            raise ValueError(message)
        return self


class DraftRequest(TemplateSourceFields):
    """A whole draft: what is absent becomes empty."""

    revision: Annotated[int, Field(ge=1)] | None = None
    """The one that was read before: a draft that has changed meanwhile is not replaced. Null: it is
    replaced as it is."""


class PublishRequest(Model):
    """A draft to be published."""

    note: Annotated[str, StringConstraints(max_length=1000)] | None = None
    """Shown with the version."""
    revision: Annotated[int, Field(ge=1)] | None = None
    """The draft's, as it was read: one that has changed meanwhile is not published."""


class RollbackRequest(Model):
    """A version to be published again."""

    version: Annotated[int, Field(ge=1, le=1_000_000_000)]


class TemplateQuery(Model):
    """How `GET /v1/templates` is narrowed down."""

    type: TemplateType | None = None
    deleted: QueryFlag = False
    """`true`: the trash."""
    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the page before, with the same filters."""


class VersionQuery(Model):
    """How `GET /v1/templates/{id}/versions` is paged."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the page before."""


class Template(Model):
    """A template."""

    id: str
    object: Literal["template"]
    name: str
    description: str | None
    type: TemplateType
    locked: bool
    """Its draft cannot be replaced, nor can it be deleted; publishing goes on."""
    live_version: int | None
    """What `version: live` renders; null until it is published."""
    draft_revision: int
    created_at: str
    updated_at: str
    deleted_at: str | None
    """When it went into the trash; it is there for 30 days."""


class TemplateList(Model):
    """One page of templates, newest first."""

    object: Literal["list"]
    data: list[Template]
    has_more: bool
    next_cursor: str | None


class SourceShown(Model):
    """What a draft or a version holds, with the members of its template's type."""

    html: str | None = None
    head: str | None = None
    css: str | None = None
    header: str | HeaderFooter | None = None
    footer: str | HeaderFooter | None = None
    scene: dict[str, Any] | None = None
    options: TemplateOptions
    schema_: Annotated[dict[str, Any] | None, Field(alias="schema")]


class TemplateDraft(SourceShown):
    """A draft as it stands."""

    object: Literal["template_draft"]
    template_id: str
    revision: int
    """It grows by one with each change."""
    updated_at: str


class TemplateVersion(Model):
    """A published version; it never changes."""

    object: Literal["template_version"]
    template_id: str
    version: int
    note: str | None
    draft_revision: int | None
    """Of the draft that it was published from; null of a rollback."""
    rollback_of: int | None
    """The version that it repeats."""
    created_at: str


class TemplateVersionSource(SourceShown, TemplateVersion):
    """A published version with what it holds."""


class TemplateVersionList(Model):
    """One page of versions, newest first."""

    object: Literal["list"]
    data: list[TemplateVersion]
    has_more: bool
    next_cursor: str | None
