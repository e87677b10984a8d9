"""JSON of the contract's template objects."""

import datetime as dt
from typing import Final

import msgspec

from chalicelib.core.clock import Clock
from chalicelib.core.json import Json
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.templates.dynamic_properties import dynamic_properties
from chalicelib.features.templates.infer import DIALECT
from chalicelib.features.templates.model import (
    CONTENT_FIELDS,
    Dataset,
    Draft,
    PublishedVersion,
    SourceBundle,
    Template,
)
from chalicelib.features.templates.store_source import THUMBNAIL_NAME

_URL_S: Final = 3600


class PresentTemplate(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Presents templates with the signed URLs of their thumbnails."""

    file_urls: SignedFileUrls
    clock: Clock

    def __call__(self, template: Template) -> dict[str, Json]:
        """Return a template as JSON."""
        return template_json(template) | {"thumbnail_url": self._thumbnail_url(template)}

    def as_deleted(self, template: Template) -> dict[str, Json]:
        """Return a template that was put into the trash as JSON."""
        return self(template) | {"deleted": True}

    def _thumbnail_url(self, template: Template) -> str | None:
        if template.live_thumbnail is None:
            return None
        # The same URL for an hour, so that a list that is read again shows the pictures at once.
        hour = int(self.clock.now().timestamp()) // _URL_S
        expires = dt.datetime.fromtimestamp((hour + 2) * _URL_S, dt.UTC)
        return self.file_urls.signed_url_of(
            template.live_thumbnail, THUMBNAIL_NAME, expires, "inline"
        )


def template_json(template: Template) -> dict[str, Json]:
    """Return a template as JSON, without what only the API can sign."""
    return {
        "id": template.id,
        "object": "template",
        "name": template.name,
        "description": template.description,
        "type": template.type,
        "locked": template.locked,
        "live_version": _live_version_json(template),
        "draft_revision": template.draft_revision,
        "created_at": template.created_at,
        "updated_at": template.updated_at,
        "deleted_at": template.deleted_at,
    }


def draft_json(template: Template, draft: Draft, source: SourceBundle) -> dict[str, Json]:
    """Return a draft as JSON."""
    return {
        "object": "template_draft",
        "template_id": template.id,
        "revision": draft.revision,
        **_source_json(template, source),
        "updated_at": draft.updated_at,
    }


def version_json(template: Template, version: PublishedVersion) -> dict[str, Json]:
    """Return a version as JSON, without its source."""
    return {
        "object": "template_version",
        "template_id": template.id,
        "number": version.number,
        "note": version.note,
        "draft_revision": version.draft_revision,
        "rollback_of": version.rollback_of,
        "published_at": version.published_at,
    }


def version_source_json(
    template: Template, version: PublishedVersion, source: SourceBundle
) -> dict[str, Json]:
    """Return a version as JSON, with its source."""
    return version_json(template, version) | _source_json(template, source)


def schema_json(template: Template, number: int | None, source: SourceBundle) -> dict[str, Json]:
    """Return the data that a version takes, or the draft if it has no number, as JSON."""
    return {
        "object": "template_schema",
        "template_id": template.id,
        "version": number,
        "declared": source.schema is not None,
        "schema": {"$schema": DIALECT, "type": "object"}
        if source.schema is None
        else source.schema,
        "dynamic_properties": dynamic_properties(source.content.get("scene")),
    }


def dataset_json(template: Template, dataset: Dataset) -> dict[str, Json]:
    """Return a dataset as JSON, without its data."""
    return {
        "id": dataset.id,
        "object": "dataset",
        "template_id": template.id,
        "name": dataset.name,
        "is_default": dataset.id == template.default_dataset,
        "created_at": dataset.created_at,
        "updated_at": dataset.updated_at,
    }


def _live_version_json(template: Template) -> dict[str, Json] | None:
    if template.live_version is None:
        return None
    return {
        "number": template.live_version,
        "published_at": template.live_published_at,
        "note": template.live_note,
    }


def _source_json(template: Template, source: SourceBundle) -> dict[str, Json]:
    return {
        "content": {name: source.content.get(name) for name in CONTENT_FIELDS[template.type]},
        "options": dict(source.options),
        "schema": source.schema,
    }
