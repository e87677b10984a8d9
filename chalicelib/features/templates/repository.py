"""Where templates are kept, and the conditional writes that change them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from chalicelib.adapters.aws.due_shard import due_shard
from chalicelib.adapters.aws.table import BATCH_GET_LIMIT, QueryPage, Tables, Write
from chalicelib.core.errors import NotFound, ServiceError
from chalicelib.core.ids import DatasetId, TemplateId, WorkspaceId, is_id
from chalicelib.features.templates.model import Dataset, Draft, PublishedVersion, Template
from chalicelib.features.templates.rows import (
    dataset_from_row,
    dataset_key,
    dataset_row,
    draft_from_row,
    draft_row,
    list_partition,
    meta_key,
    template_from_row,
    template_partition,
    template_row,
    version_from_row,
    version_key,
    version_row,
)

_NAMES: Final = {"#status": "status"}
# Nobody is shown one that is not made yet, or not any more.
_HIDDEN_STATUSES: Final = frozenset({"creating", "purging"})


class Templates:
    """The templates of all workspaces."""

    def __init__(self, tables: Tables, table: str) -> None:
        """Keep them in this table."""
        self._tables = tables
        self._table = table

    def find(self, workspace_id: WorkspaceId, template_id: str) -> Template | None:
        """Return a template that is there for others, in the trash or not."""
        known = is_id("tpl", template_id)
        template = self.find_in_any_status(workspace_id, template_id) if known else None
        return None if template is None or template.status in _HIDDEN_STATUSES else template

    def find_in_any_status(self, workspace_id: WorkspaceId, template_id: str) -> Template | None:
        """Return a template in whatever status."""
        item = self._tables.get(self._table, template_partition(workspace_id, template_id))
        return None if item is None else template_from_row(item)

    def one(self, workspace_id: WorkspaceId, template_id: str) -> Template:
        """Return a template; raises `template_not_found` or `template_deleted`."""
        return require_template(self.find(workspace_id, template_id), template_id)

    def find_in_workspaces(
        self, workspace_ids: Sequence[WorkspaceId], template_id: str
    ) -> Template | None:
        """Return a template of one of up to 100 workspaces that is there for others."""
        assert len(workspace_ids) <= BATCH_GET_LIMIT
        if not is_id("tpl", template_id):
            return None
        keys = [(template_partition(each, template_id), "META") for each in workspace_ids]
        found = map(template_from_row, self._tables.get_many(self._table, keys))
        return next((each for each in found if each.status not in _HIDDEN_STATUSES), None)

    def get_many(
        self, workspace_id: WorkspaceId, template_ids: Sequence[TemplateId]
    ) -> list[Template]:
        """Return up to 100 templates that are there for others, in this order."""
        assert len(template_ids) <= BATCH_GET_LIMIT
        keys = [
            (template_partition(workspace_id, template_id), "META") for template_id in template_ids
        ]
        found = map(template_from_row, self._tables.get_many(self._table, keys))
        return [each for each in found if each.status not in _HIDDEN_STATUSES]

    def newest_page(self, workspace_id: WorkspaceId, below: str, status: str) -> QueryPage:
        """Return a page of the index: templates of a status, the newest below a sort key first."""
        return self._tables.query(
            self._table,
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
        item = self._tables.get(
            self._table, template_partition(template.workspace_id, template.id), "DRAFT"
        )
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
        """Return the versions that there are of up to 100 numbers, in this order."""
        pk = template_partition(template.workspace_id, template.id)
        keys = [(pk, version_key(number)) for number in numbers]
        return [version_from_row(item) for item in self._tables.get_many(self._table, keys)]

    def datasets(self, template: Template, ids: Iterable[DatasetId]) -> list[Dataset]:
        """Return the datasets that there are of up to 100 ids, in this order."""
        pk = template_partition(template.workspace_id, template.id)
        keys = [(pk, dataset_key(each)) for each in ids]
        return [dataset_from_row(item) for item in self._tables.get_many(self._table, keys)]

    def dataset_creation(self, template: Template, dataset: Dataset) -> Write:
        """Return the write of a new dataset."""
        row = dataset_row(template, dataset)
        return Write(self._table, item=row, condition="attribute_not_exists(PK)")

    def dataset_change(self, template: Template, dataset: Dataset) -> Write:
        """Return the write of a dataset's next revision, in place of the one before it."""
        return Write(
            self._table,
            item=dataset_row(template, dataset),
            condition="revision = :before",
            values={":before": dataset.revision - 1},
        )

    def dataset_removal(self, template: Template, dataset: Dataset) -> Write:
        """Return the write that removes a dataset as it was read."""
        row = dataset_row(template, dataset)
        return Write(
            self._table,
            key={"PK": row["PK"], "SK": row["SK"]},
            condition="revision = :revision",
            values={":revision": dataset.revision},
        )

    def announcement(self, template: Template, due_at: str) -> Write:
        """Return the write of a template that is being created, whose source is under way."""
        due = {"due_at": due_at, "DPK": due_shard(template.id)}
        return Write(
            self._table, item=template_row(template) | due, condition="attribute_not_exists(PK)"
        )

    def creation(self, template: Template, *, announced: bool) -> Write:
        """Return the write that makes a template, in place of its announcement where it had one."""
        if not announced:
            return Write(
                self._table, item=template_row(template), condition="attribute_not_exists(PK)"
            )
        return Write(
            self._table,
            item=template_row(template),
            condition="#status = :creating",
            names=_NAMES,
            values={":creating": "creating"},
        )

    def draft_write(self, template: Template, draft: Draft) -> Write:
        """Return the write of a draft; the template's own row fences it."""
        return Write(self._table, item=draft_row(template, draft))

    def publication(self, template: Template, version: PublishedVersion) -> Write:
        """Return the write of a version."""
        return Write(
            self._table,
            item=version_row(template, version),
            condition="attribute_not_exists(PK)",
        )

    def change(  # noqa: PLR0913 -- the parts of one write
        self,
        template: Template,
        sets: Mapping[str, Any],
        *,
        unchanged: Sequence[str] = (),
        due_at: str | None = None,
        clear_due: bool = False,
        settled: Sequence[str] = (),
        unsettled: Mapping[str, str] | None = None,
    ) -> Write:
        """Return the write that changes a template's row while it is in the status that was read.

        The attributes that `still` names must be as they were read, too. It is due at `due_at`,
        or no more. Names of sources in the bucket become settled or unsettled.
        """
        held = {name: getattr(template, name) for name in ("status", *unchanged)}
        more = dict(unsettled or {})
        names = {f"#{name}": name for name in {*sets, *held}}
        names |= {f"#n{n}": name for n, name in enumerate([*more, *settled])}
        places = [f"unsettled.#n{n}" for n in range(len(more) + len(settled))]
        values = {f":{name}": value for name, value in sets.items()}
        values |= {f":was_{name}": value for name, value in held.items()}
        values |= {f":n{n}": at for n, at in enumerate(more.values())}
        setting = [f"#{name} = :{name}" for name in sets]
        setting += [f"{place} = :n{n}" for n, place in enumerate(places[: len(more)])]
        if due_at is not None:
            setting += ["due_at = :due_at", "DPK = :dpk"]
            values |= {":due_at": due_at, ":dpk": due_shard(template.id)}
        gone = [*places[len(more) :], *(["due_at", "DPK"] if clear_due else [])]
        update = f"SET {', '.join(setting)}" if setting else ""
        update += f" REMOVE {', '.join(gone)}" if gone else ""
        return Write(
            self._table,
            key=meta_key(template),
            update=update.strip(),
            condition=" AND ".join(f"#{name} = :was_{name}" for name in held),
            names=names,
            values=values,
        )


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
