"""Templates: requests, drafts and versions."""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from chalicelib.contract.base import Change, Model, Query
from chalicelib.contract.field_types import Cursor, PageLimit, QueryFlag, UncheckedJson
from chalicelib.contract.render.pdf import HeaderFooter
from chalicelib.contract.template.options import TemplateOptions
from chalicelib.contract.template.scene import SceneObject

TemplateType = Literal["html", "image_canvas"]
DisplayName = Annotated[str, StringConstraints(min_length=1, max_length=120)]
Description = Annotated[str, StringConstraints(max_length=5000)]
SourceText = Annotated[str, StringConstraints(max_length=4_000_000)]
SearchText = Annotated[str, StringConstraints(min_length=1, max_length=120)]
HeaderFooterText = Annotated[str, StringConstraints(max_length=200_000)]


class TemplateContent(Model):
    """The content of a template: `scene` for `image_canvas`, all other members for `html`."""

    html: SourceText | None = None
    """The document, in the template language (Jinja2). Null: none."""
    head: SourceText | None = None
    """Put first into the document's head; in the template language. Null: nothing."""
    css: SourceText | None = None
    """Put into the document's head after `head`, as a style sheet; in the template language. Null:
    nothing."""
    header: HeaderFooterText | HeaderFooter | None = None
    """The HTML of the page header, or all of its members (`enabled` is true by default): the
    default of `output.pdf.header`. Null: none."""
    footer: HeaderFooterText | HeaderFooter | None = None
    """The HTML of the page footer, or all of its members (`enabled` is true by default): the
    default of `output.pdf.footer`. Null: none."""
    scene: SceneObject | None = None
    """The design of a canvas, for `image_canvas`. Null: none."""


class TemplateSourceFields(TemplateContent):
    """The content of a draft: its members, or all of them in `content`."""

    content: TemplateContent | None = None
    """The whole content, in place of its members. Null: those."""
    options: TemplateOptions | None = None
    """Defaults for the output of its renders. Null: none."""
    schema_: Annotated[dict[str, UncheckedJson] | None, Field(alias="schema")] = None
    """A JSON Schema (2020-12) that data must fit. Null: any object is taken."""

    @model_validator(mode="after")
    def _check_content(self) -> Self:
        members = TemplateContent.model_fields
        if self.content is not None and any(getattr(self, name) is not None for name in members):
            message = "content stands in place of html, head, css, header, footer and scene"
            raise ValueError(message)
        return self


class DatasetSpec(Model):
    """Sample data of a template."""

    name: DisplayName
    """A name for people."""
    data: dict[str, UncheckedJson]
    """The `data` of a render."""
    is_default: bool = False
    """Exactly one dataset is the default: the first one if none is marked."""


class TemplateRequest(TemplateSourceFields):
    """A new template."""

    name: DisplayName
    """A name for people."""
    description: Description | None = None
    """A description for people. Null: none."""
    type: TemplateType = "html"
    """`html`: a document in HTML. `image_canvas`: a canvas with layers. It cannot be changed
    later."""
    datasets: Annotated[list[DatasetSpec], Field(max_length=50)] = Field(default=[])
    """Sample data, which publishing renders."""
    publish: bool = False
    """Publish it as version 1 at once: all datasets are rendered first, and if one fails, nothing
    is created."""


class TemplateChange(Change):
    """Changes of a template; absent members stay as they are."""

    name: DisplayName = Field(default_factory=str)
    """A name for people."""
    description: Description | None = None
    """A description for people. Null removes it."""


class DraftRequest(TemplateSourceFields):
    """A whole draft; absent members become empty."""

    revision: Annotated[int, Field(ge=1)] | None = None
    """The revision that was read; a draft that has changed since is not replaced. Null: replace it
    in any case."""


class PublishRequest(Model):
    """Publication of the draft."""

    note: Annotated[str, StringConstraints(max_length=1000)] | None = None
    """A note that is shown with the version. Null: none."""
    revision: Annotated[int, Field(ge=1)] | None = None
    """The revision that was read; a draft that has changed since is not published. Null: publish it
    in any case."""


class RollbackRequest(Model):
    """A version to be published again."""

    version: Annotated[int, Field(ge=1, le=1_000_000_000)]
    """Number of the version to publish again."""


class TemplateQuery(Query):
    """Filters and paging of `GET /v1/templates`."""

    q: SearchText | None = None
    """Templates whose name has this text or whose id begins with it, in upper or lower case."""
    type: TemplateType | None = None
    """Templates of this type only."""
    deleted: QueryFlag = False
    """`true`: list the trash."""
    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page, with the same filters."""


class VersionQuery(Query):
    """Paging of `GET /v1/templates/{id}/versions`."""

    limit: PageLimit = 20
    cursor: Cursor | None = None
    """The `next_cursor` of the previous page."""


class LiveVersion(Model):
    """The version that `version: live` renders."""

    number: int
    """Number of the version, from 1."""
    published_at: str
    """When it was published."""
    note: str | None
    """The note of its publication; null without one."""


class Template(Model):
    """A template."""

    id: str
    """Id of the template, `tpl_…`."""
    object: Literal["template"]
    name: str
    """A name for people."""
    description: str | None
    """A description for people; null without one."""
    type: TemplateType
    """`html`: a document in HTML. `image_canvas`: a canvas with layers."""
    locked: bool
    """The draft cannot be replaced and the template cannot be deleted; publishing is possible."""
    live_version: LiveVersion | None
    """The version that `version: live` renders; null until one is published."""
    thumbnail_url: str | None
    """URL of a picture (WebP) of the live version's first page, valid for at least an hour. It is
    made when a version is published, of the default dataset, and is not billed. Null: no version
    with a dataset is live, its output has no pages, or there was no time for it."""
    draft_revision: int
    """Revision of the draft; it grows by one with each change."""
    created_at: str
    updated_at: str
    deleted_at: str | None
    """When it was put into the trash, where it stays for 30 days; null unless it is there."""


class DeletedTemplate(Template):
    """A template that was put into the trash."""

    deleted: bool
    """Always true."""


class TemplateList(Model):
    """One page of templates, newest first."""

    object: Literal["list"]
    data: list[Template]
    """Templates of this page."""
    has_more: bool
    next_cursor: str | None


class TemplateContentShown(Model):
    """The content of a draft or a version, with the members of its template's type."""

    html: str | None = None
    """The document, in the template language; null without one."""
    head: str | None = None
    """What is put first into the document's head; null without any."""
    css: str | None = None
    """The style sheet; null without one."""
    header: str | HeaderFooter | None = None
    """The page header: its HTML, or all of its members; null without one."""
    footer: str | HeaderFooter | None = None
    """The page footer: its HTML, or all of its members; null without one."""
    scene: dict[str, UncheckedJson] | None = None
    """The design of a canvas; null without one."""


class SourceShown(Model):
    """The source of a draft or a version, as a request may send it."""

    content: TemplateContentShown
    """The content."""
    options: TemplateOptions
    """Defaults for the output of its renders."""
    schema_: Annotated[dict[str, UncheckedJson] | None, Field(alias="schema")]
    """The JSON Schema (2020-12) that data must fit; null without one."""


class TemplateDraft(SourceShown):
    """A draft in its present state."""

    object: Literal["template_draft"]
    template_id: str
    """Id of the template, `tpl_…`."""
    revision: int
    """Number of the draft's state; it grows by one with each change."""
    updated_at: str


class TemplateVersion(Model):
    """A published version; it never changes."""

    object: Literal["template_version"]
    template_id: str
    """Id of the template, `tpl_…`."""
    number: int
    """Number of the version, from 1."""
    note: str | None
    """The note of its publication; null without one."""
    draft_revision: int | None
    """Revision of the draft that was published; null for a rollback."""
    rollback_of: int | None
    """The version that a rollback repeats; null for all others."""
    published_at: str
    """When it was published."""


class NamedTemplateVersion(TemplateVersion):
    """A published version with the name of its template."""

    name: str
    """Name of the template."""


class TemplateVersionSource(SourceShown, TemplateVersion):
    """A published version with its content."""


class DynamicProperty(Model):
    """A value of the data that layers of a canvas show."""

    key: str
    """A dotted path into the data, such as `customer.name`."""
    type: Literal["text", "image", "color", "boolean", "svg"]
    """What the layer makes of the value."""
    required: bool
    """Data without it are refused."""
    default: str | float | bool | None
    """Shown if the data have no usable value; null: the layer shows its own."""


class TemplateSchema(Model):
    """The data that a template takes."""

    object: Literal["template_schema"]
    template_id: str
    """Id of the template, `tpl_…`."""
    version: int | None
    """Number of the live version; null for the draft of a template that has none."""
    declared: bool
    """Whether the template has a schema; without one it takes any object."""
    schema_: Annotated[dict[str, UncheckedJson], Field(alias="schema")]
    """The JSON Schema (2020-12) that data must fit."""
    dynamic_properties: list[DynamicProperty]
    """Values that the layers of a canvas show; empty for `html`."""


class TemplateVersionList(Model):
    """One page of versions, newest first."""

    object: Literal["list"]
    data: list[TemplateVersion]
    """Versions of this page."""
    has_more: bool
    next_cursor: str | None
