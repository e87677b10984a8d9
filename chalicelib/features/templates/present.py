"""JSON of the contract's template objects."""

from chalicelib.core.json import Json
from chalicelib.features.templates.model import (
    CONTENT_FIELDS,
    Dataset,
    Draft,
    PublishedVersion,
    SourceBundle,
    Template,
)


def template_json(template: Template) -> dict[str, Json]:
    """Return a template as JSON."""
    return {
        "id": template.id,
        "object": "template",
        "name": template.name,
        "description": template.description,
        "type": template.type,
        "locked": template.locked,
        "live_version": template.live_version,
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
        "version": version.number,
        "note": version.note,
        "draft_revision": version.draft_revision,
        "rollback_of": version.rollback_of,
        "created_at": version.created_at,
    }


def version_source_json(
    template: Template, version: PublishedVersion, source: SourceBundle
) -> dict[str, Json]:
    """Return a version as JSON, with its source."""
    return version_json(template, version) | _source_json(template, source)


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


def _source_json(template: Template, source: SourceBundle) -> dict[str, Json]:
    return {
        **{name: source.content.get(name) for name in CONTENT_FIELDS[template.type]},
        "options": dict(source.options),
        "schema": source.schema,
    }
