"""Rows of a template, `WS#<ws>#TPL#<id>`: `META`, `DRAFT`, `VER#<n>`, and `DATA#<ds>`.

A row with an `object_key` owns that object; a version shares it with its draft (decision 20).
"""

from chalicelib.adapters.aws.table import Row
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.model import (
    Dataset,
    Draft,
    PublishedVersion,
    StoredText,
    Template,
)
from chalicelib.features.templates.source_texts import object_key


def list_partition(workspace_id: WorkspaceId) -> str:
    """Return the partition of a workspace's templates in the `lists` index."""
    return f"WS#{workspace_id}#TPL"


def template_partition(workspace_id: WorkspaceId, template_id: str) -> str:
    """Return the partition of a template, its draft, versions, datasets and events."""
    return f"WS#{workspace_id}#TPL#{template_id}"


def meta_key(template: Template) -> Row:
    """Return the key of a template's `META` row."""
    return {"PK": template_partition(template.workspace_id, template.id), "SK": "META"}


def version_key(number: int) -> str:
    """Return the sort key of a version."""
    return f"VER#{number:06d}"


def dataset_key(dataset_id: str) -> str:
    """Return the sort key of a dataset."""
    return f"DATA#{dataset_id}"


def template_row(template: Template) -> Row:
    """Return a template's `META` row; a `creating` template is in no list."""
    names = [name for name in Template._fields if name != "unsettled"]
    row = meta_key(template) | {name: getattr(template, name) for name in names}
    row["unsettled"] = dict(template.unsettled)
    if template.status != "creating":
        row |= {"LPK": list_partition(template.workspace_id), "LSK": template.id}
    return row


def template_from_row(item: Row) -> Template:
    """Return the template of a `META` row."""
    # Rows of earlier releases lack the email rules.
    return Template(**{name: item[name] for name in Template._fields if name in item})


def draft_row(template: Template, draft: Draft) -> Row:
    """Return the row of a draft."""
    return {
        "PK": template_partition(template.workspace_id, template.id),
        "SK": "DRAFT",
        "revision": draft.revision,
        "updated_at": draft.updated_at,
        **_stored_attributes(template, draft.stored),
    }


def draft_from_row(item: Row) -> Draft:
    """Return the draft of a row."""
    return Draft(item["revision"], _stored_from_row(item), item["updated_at"])


def version_row(template: Template, version: PublishedVersion) -> Row:
    """Return the row of a version."""
    return {
        "PK": template_partition(template.workspace_id, template.id),
        "SK": version_key(version.number),
        "number": version.number,
        "created_at": version.created_at,
        "note": version.note,
        "draft_revision": version.draft_revision,
        "rollback_of": version.rollback_of,
        **_stored_attributes(template, version.stored),
    }


def version_from_row(item: Row) -> PublishedVersion:
    """Return the version of a row."""
    return PublishedVersion(
        number=item["number"],
        stored=_stored_from_row(item),
        created_at=item["created_at"],
        note=item["note"],
        draft_revision=item["draft_revision"],
        rollback_of=item["rollback_of"],
    )


def dataset_row(template: Template, dataset: Dataset) -> Row:
    """Return the row of a dataset."""
    return {
        "PK": template_partition(template.workspace_id, template.id),
        "SK": dataset_key(dataset.id),
        "id": dataset.id,
        "name": dataset.name,
        "created_at": dataset.created_at,
        "updated_at": dataset.updated_at,
        "revision": dataset.revision,
        **_stored_attributes(template, dataset.stored),
    }


def dataset_from_row(item: Row) -> Dataset:
    """Return the dataset of a row."""
    return Dataset(
        id=item["id"],
        name=item["name"],
        stored=_stored_from_row(item),
        created_at=item["created_at"],
        updated_at=item["updated_at"],
        revision=item["revision"],
    )


def _stored_attributes(template: Template, stored: StoredText) -> Row:
    name = stored.object_name
    key = None if name is None else object_key(template.workspace_id, template.id, name)
    return {
        "sha256": stored.sha256,
        "text": stored.text,
        "object_name": name,
        "object_key": key,
    }


def _stored_from_row(item: Row) -> StoredText:
    return StoredText(item["sha256"], item["text"], item["object_name"])
