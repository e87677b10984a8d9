"""Repository of templates, and the conditional writes that change them (decision 20).

Rows of a template, `WS#<ws>#TPL#<id>`: `META`, `DRAFT`, `VER#<n>`, and `DATA#<ds>`. A row with an
`object_key` owns that object; a version shares it with its draft.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

import msgspec

from chalicelib.adapters.aws.due_items import DueKind
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, QueryPage, Row, RowValue, Table, Write
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.ids import DatasetId, TemplateId, WorkspaceId, is_id
from chalicelib.features.files.model import StoredFile
from chalicelib.features.templates.model import (
    Dataset,
    Draft,
    PublishedVersion,
    StoredText,
    Template,
)
from chalicelib.features.templates.source_texts import object_key

DUE_TEMPLATE: Final = DueKind("template")
_NAMES: Final = {"#status": "status"}
# Callers see no template that is not finished yet, or that is being purged.
_HIDDEN_STATUSES: Final = frozenset({"creating", "purging"})


class Templates(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Templates of all workspaces."""

    table: Table

    def find(self, workspace_id: WorkspaceId, template_id: str) -> Template | None:
        """Return a template that callers may see, also from the trash; None if there is none."""
        known = is_id("tpl", template_id)
        template = self.find_in_any_status(workspace_id, template_id) if known else None
        return None if template is None or template.status in _HIDDEN_STATUSES else template

    def find_in_any_status(self, workspace_id: WorkspaceId, template_id: str) -> Template | None:
        """Return a template in any status."""
        item = self.table.get(template_partition(workspace_id, template_id))
        return None if item is None else template_from_row(item)

    def one(self, workspace_id: WorkspaceId, template_id: str) -> Template:
        """Return a template; raises `template_not_found` or `template_deleted`."""
        return require_template(self.find(workspace_id, template_id), template_id)

    def find_in_workspaces(
        self, workspace_ids: Sequence[WorkspaceId], template_id: str
    ) -> Template | None:
        """Return a visible template of one of up to 100 workspaces."""
        assert len(workspace_ids) <= BATCH_GET_LIMIT
        if not is_id("tpl", template_id):
            return None
        keys = [(template_partition(each, template_id), "META") for each in workspace_ids]
        found = map(template_from_row, self.table.get_many(keys))
        return next((each for each in found if each.status not in _HIDDEN_STATUSES), None)

    def get_many(
        self, workspace_id: WorkspaceId, template_ids: Sequence[TemplateId]
    ) -> list[Template]:
        """Return the visible ones of up to 100 templates, in this order."""
        assert len(template_ids) <= BATCH_GET_LIMIT
        keys = [
            (template_partition(workspace_id, template_id), "META") for template_id in template_ids
        ]
        found = map(template_from_row, self.table.get_many(keys))
        return [each for each in found if each.status not in _HIDDEN_STATUSES]

    def newest_page(self, workspace_id: WorkspaceId, below: str, status: str) -> QueryPage:
        """Return a page of the index: templates in a status below a sort key, newest first."""
        return self.table.query(
            "LPK = :list AND LSK < :below",
            {":list": list_partition(workspace_id), ":below": below, ":status": status},
            index="lists",
            filter_expression="#status = :status",
            names=_NAMES,
            limit=BATCH_GET_LIMIT,
            newest_first=True,
        )

    def draft(self, template: Template) -> Draft:
        """Return a template's draft."""
        item = self.table.get(template_partition(template.workspace_id, template.id), "DRAFT")
        assert item is not None, template.id
        return draft_from_row(item)

    def version(self, template: Template, number: int) -> PublishedVersion:
        """Return a version; raises `version_not_found`."""
        found = self.versions(template, [number])
        if not found:
            detail = f"The template {template.id} has no version {number}."
            raise NotFound("version_not_found", detail)
        return found[0]

    def versions(self, template: Template, numbers: Iterable[int]) -> list[PublishedVersion]:
        """Return the existing versions of up to 100 numbers, in this order."""
        pk = template_partition(template.workspace_id, template.id)
        keys = [(pk, version_key(number)) for number in numbers]
        return [version_from_row(item) for item in self.table.get_many(keys)]

    def datasets(self, template: Template, ids: Iterable[DatasetId]) -> list[Dataset]:
        """Return the existing datasets of up to 100 ids, in this order."""
        pk = template_partition(template.workspace_id, template.id)
        keys = [(pk, dataset_key(each)) for each in ids]
        return [dataset_from_row(item) for item in self.table.get_many(keys)]

    def dataset_creation(self, template: Template, dataset: Dataset) -> Write:
        """Return the write of a new dataset."""
        row = dataset_row(template, dataset)
        return Write(self.table, item=row, condition="attribute_not_exists(PK)")

    def dataset_change(self, template: Template, dataset: Dataset) -> Write:
        """Return the write that replaces a dataset by its next revision."""
        return Write(
            self.table,
            item=dataset_row(template, dataset),
            condition="revision = :before",
            values={":before": dataset.revision - 1},
        )

    def dataset_removal(self, template: Template, dataset: Dataset) -> Write:
        """Return the write that removes a dataset if its revision is unchanged."""
        row = dataset_row(template, dataset)
        return Write(
            self.table,
            key={"PK": row["PK"], "SK": row["SK"]},
            condition="revision = :revision",
            values={":revision": dataset.revision},
        )

    def announcement(self, template: Template, due_at: str) -> Write:
        """Return the write of a `creating` template, before its source is in the bucket."""
        due = {"due_at": due_at, "DPK": DUE_TEMPLATE.partition(template.id)}
        return Write(
            self.table, item=template_row(template) | due, condition="attribute_not_exists(PK)"
        )

    def creation(self, template: Template, *, announced: bool) -> Write:
        """Return the write that creates a template, or replaces its announcement."""
        if not announced:
            return Write(
                self.table, item=template_row(template), condition="attribute_not_exists(PK)"
            )
        return Write(
            self.table,
            item=template_row(template),
            condition="#status = :creating",
            names=_NAMES,
            values={":creating": "creating"},
        )

    def draft_write(self, template: Template, draft: Draft) -> Write:
        """Return the write of a draft; the condition on the template's row fences it."""
        return Write(self.table, item=draft_row(template, draft))

    def publication(self, template: Template, version: PublishedVersion) -> Write:
        """Return the write of a version."""
        return Write(
            self.table,
            item=version_row(template, version),
            condition="attribute_not_exists(PK)",
        )

    def change(  # noqa: PLR0913 -- the parts of one write
        self,
        template: Template,
        sets: Mapping[str, RowValue],
        *,
        unchanged: Sequence[str] = (),
        due_at: str | None = None,
        clear_due: bool = False,
        settled: Sequence[str] = (),
        unsettled: Mapping[str, str] | None = None,
    ) -> Write:
        """Return the write that changes a template's row if its status is the one in `template`.

        The attributes named by `unchanged` must be unchanged, too. `due_at` makes the template
        due, `clear_due` ends that. `settled` and `unsettled` are names of sources in the bucket.
        """
        expected = {name: getattr(template, name) for name in ("status", *unchanged)}
        added = dict(unsettled or {})
        names = {f"#{name}": name for name in {*sets, *expected}}
        names |= {f"#n{n}": name for n, name in enumerate([*added, *settled])}
        # One attribute path per name: two writers may add and remove different names at once.
        paths = [f"unsettled.#n{n}" for n in range(len(added) + len(settled))]
        values = {f":{name}": value for name, value in sets.items()}
        values |= {f":was_{name}": value for name, value in expected.items()}
        values |= {f":n{n}": at for n, at in enumerate(added.values())}
        assignments = [f"#{name} = :{name}" for name in sets]
        assignments += [f"{path} = :n{n}" for n, path in enumerate(paths[: len(added)])]
        if due_at is not None:
            assignments += ["due_at = :due_at", "DPK = :dpk"]
            values |= {":due_at": due_at, ":dpk": DUE_TEMPLATE.partition(template.id)}
        removals = [*paths[len(added) :], *(["due_at", "DPK"] if clear_due else [])]
        update = f"SET {', '.join(assignments)}" if assignments else ""
        update += f" REMOVE {', '.join(removals)}" if removals else ""
        return Write(
            self.table,
            key=meta_key(template),
            update=update.strip(),
            condition=" AND ".join(_equality(name, value) for name, value in expected.items()),
            names=names,
            values=values,
        )

    def row_pages(self, template: Template, limit: int) -> Iterator[list[Row]]:
        """Yield all rows of a template, up to `limit` at once."""
        start: Row | None = None
        while True:
            page = self.table.query(
                "PK = :pk",
                {":pk": template_partition(template.workspace_id, template.id)},
                limit=limit,
                # A row that a lagging read leaves out would go without its object.
                consistent=True,
                start=start,
            )
            yield page.items
            start = page.last_evaluated_key
            if start is None:
                return

    def delete_rows(self, rows: Iterable[Row]) -> None:
        """Delete up to 100 rows of a template."""
        keys = [{"PK": row["PK"], "SK": row["SK"]} for row in rows]
        self.table.transact([Write(self.table, key=key) for key in keys])


def _equality(name: str, value: RowValue) -> str:
    """Return the condition that an attribute has this value."""
    condition = f"#{name} = :was_{name}"
    # Rows of earlier releases lack the email rules.
    is_new = name == "email_rules" and not value
    return f"(attribute_not_exists(#{name}) OR {condition})" if is_new else condition


def require_template(template: Template | None, template_id: str) -> Template:
    """Return a template; raises `template_not_found` or `template_deleted`."""
    if template is None:
        raise NotFound("template_not_found", f"There is no template {template_id[:64]}.")
    if template.status == "deleted":
        raise ServiceError(
            "template_deleted",
            f"The template {template_id} is deleted; POST /v1/templates/{template_id}/restore "
            "brings it back within 30 days.",
        )
    return template


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
    # Rows of earlier releases lack the email rules and the thumbnail.
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
        "published_at": version.published_at,
        "note": version.note,
        "draft_revision": version.draft_revision,
        "rollback_of": version.rollback_of,
        "thumbnail": None if version.thumbnail is None else version.thumbnail._asdict(),
        **_stored_attributes(template, version.stored),
    }


def version_from_row(item: Row) -> PublishedVersion:
    """Return the version of a row."""
    return PublishedVersion(
        number=item["number"],
        stored=_stored_from_row(item),
        published_at=item["published_at"],
        note=item["note"],
        draft_revision=item["draft_revision"],
        rollback_of=item["rollback_of"],
        thumbnail=thumbnail_of_row(item),
    )


def thumbnail_of_row(item: Row) -> StoredFile | None:
    """Return the thumbnail of a version's row; rows of earlier releases have none."""
    thumbnail = item.get("thumbnail")
    return None if thumbnail is None else StoredFile(**thumbnail)


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
