"""Import of templates: new ones whole, existing ones by what differs.

A published version never changes. One that is another here is refused before anything is written.
"""

from typing import TYPE_CHECKING, Any

import msgspec

from chalicelib.core import json
from chalicelib.core.clock import format_rfc3339, parse_rfc3339
from chalicelib.core.errors import Conflict
from chalicelib.core.ids import DatasetId, TemplateId
from chalicelib.features.emails.rules.manage import RuleFields, with_fields
from chalicelib.features.templates.datasets import DatasetInput
from chalicelib.features.templates.model import (
    Dataset,
    Draft,
    PublishedVersion,
    SourceBundle,
    StoredText,
    Template,
)
from chalicelib.features.templates.publish import with_live
from chalicelib.features.templates.source_texts import serialize_source, stored_text
from chalicelib.features.workspaces.model import Workspace
from infra.operator.contents.model import FileSource, FileTemplate

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chalicelib.adapters.aws.table import RowValue
    from chalicelib.bootstrap.operator_contents import ContentsService

_LIVE_FIELDS = (
    "live_version",
    "live_published_at",
    "live_note",
    "live_thumbnail",
    "published_revision",
)


class ImportTemplates(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Import into one workspace; the ids of a file are those of the workspace already."""

    service: "ContentsService"
    workspace: Workspace

    def check(self, each: FileTemplate) -> None:
        """Raise `conflict` if the template has other versions here, or is in the trash."""
        template = self.service.templates.find(self.workspace.id, each.id)
        if template is None:
            return
        template = self.service.read_templates.one(self.workspace.id, each.id)
        numbers = range(1, min(template.live_version or 0, len(each.versions)) + 1)
        for number, wanted in zip(numbers, each.versions, strict=False):
            here, source = self.service.read_templates.version(template, number)
            if here.published_at != wanted.published_at or source != _bundle(wanted):
                message = (
                    f"version {number} of {each.name} ({each.id}) is another one here, and a "
                    "version never changes: import into a workspace without this template"
                )
                raise Conflict("conflict", message)

    def __call__(self, each: FileTemplate) -> str:
        """Make the template as in the file; return `created`, `updated` or `unchanged`."""
        template = self.service.templates.find(self.workspace.id, each.id)
        if template is None:
            draft, template = self._create(each)
            self._publish(each, template, draft)
            return "created"
        before = self._state(template)
        self._update(each, template)
        after = self.service.templates.one(self.workspace.id, template.id)
        return "unchanged" if self._state(after) == before else "updated"

    def rules(self, each: FileTemplate) -> None:
        """Make the email rules as in the file, once the connections are there."""
        template = self.service.templates.one(self.workspace.id, each.id)
        for rule in each.email_rules:
            fields: RuleFields = msgspec.convert(rule.fields, dict[str, Any])  # type: ignore[assignment]
            manage = self.service.manage_rules(rule.id)
            if rule.id not in template.email_rules:
                manage.create(self.workspace, template.id, {"position": None, **fields})
            elif _differs(self.service, self.workspace, rule.id, fields):
                manage.change(self.workspace, rule.id, fields)

    def _state(self, template: Template) -> object:
        datasets = self.service.templates.datasets(template, template.datasets)
        return template._replace(unsettled={}), tuple(datasets)

    def _create(self, each: FileTemplate) -> tuple[StoredText, Template]:
        now = self.service.clock.now()
        at = format_rfc3339(now)
        default = next((data.id for data in each.datasets if data.is_default), None)
        template = Template(
            id=TemplateId(each.id),
            workspace_id=self.workspace.id,
            name=each.name,
            description=each.description,
            type=each.type,
            status="active",
            created_at=at,
            updated_at=at,
            locked=each.locked,
            datasets=tuple(DatasetId(data.id) for data in each.datasets),
            default_dataset=None if default is None else DatasetId(default),
        )
        texts = [json.dumps(data.data) for data in each.datasets]
        # A file has no pictures: they come with the next version.
        stored, _ = self.service.store.store_new(template, _bundle(each.draft), texts, None)
        templates = self.service.templates
        announced = any(text.object_name is not None for text in stored)
        rows = [
            templates.dataset_creation(template, dataset)
            for dataset in _new_datasets(each, stored[1:], at)
        ]
        draft = templates.draft_write(template, Draft(1, stored[0], at))
        self.service.table.transact(
            [templates.creation(template, announced=announced), draft, *rows]
        )
        return stored[0], template

    def _update(self, each: FileTemplate, template: Template) -> None:
        service = self.service
        names: Mapping[str, RowValue] = {"name": each.name, "description": each.description}
        template = service.change_template(template, names)
        draft, source = service.read_templates.draft(template)
        if source != _bundle(each.draft):
            saved = service.replace_draft(template, _bundle(each.draft), revision=None)
            template, draft = saved.template, saved.draft
        self._publish(each, template, draft.stored)
        there = {data.id: (data, found) for data, found in service.read_datasets.each(template)}
        for data in each.datasets:
            wanted = DatasetInput(data.name, data.data, data.is_default or None)
            change = service.change_datasets(data.id)
            current = service.templates.one(self.workspace.id, template.id)
            if DatasetId(data.id) not in there:
                change.create(current, wanted)
                continue
            found, content = there[DatasetId(data.id)]
            is_default = current.default_dataset == data.id
            if (found.name, content) != (data.name, data.data) or data.is_default > is_default:
                change.replace(current, data.id, wanted)

    def _publish(self, each: FileTemplate, template: Template, draft: StoredText) -> None:
        """Publish the versions that are not here yet; no event tells of them."""
        service = self.service
        for wanted in each.versions[template.live_version or 0 :]:
            bundle = _bundle(wanted)
            is_draft = (
                each.draft_is_live
                and wanted is each.versions[-1]
                and stored_text(serialize_source(bundle), None).sha256 == draft.sha256
            )
            # A version shares the object of the draft that was published as it (decision 20).
            stored = draft if is_draft else service.store.store(template, bundle)
            version = PublishedVersion(
                wanted.number,
                stored,
                format_rfc3339(parse_rfc3339(wanted.published_at)),
                wanted.note,
                template.draft_revision if is_draft else None,
                wanted.rollback_of,
            )
            changed = with_live(template, version)
            if is_draft:
                changed = changed._replace(published_revision=template.draft_revision)
            sets: dict[str, RowValue] = {name: getattr(changed, name) for name in _LIVE_FIELDS}
            own = stored.object_name if not is_draft else None
            write = service.templates.change(
                template,
                sets,
                unchanged=("live_version", "draft_revision"),
                settled=() if own is None else (own,),
            )
            service.table.transact([write, service.templates.publication(template, version)])
            template = changed


def _bundle(source: FileSource) -> SourceBundle:
    return SourceBundle(source.content, source.options, source.schema)


def _new_datasets(each: FileTemplate, stored: list[StoredText], at: str) -> list[Dataset]:
    return [
        Dataset(DatasetId(data.id), data.name, text, at, at)
        for data, text in zip(each.datasets, stored, strict=True)
    ]


def _differs(
    service: "ContentsService", workspace: Workspace, rule_id: str, fields: RuleFields
) -> bool:
    rule = service.rules.one(workspace.id, rule_id)
    after = with_fields(rule, fields)
    return after._replace(attach_formats=tuple(after.attach_formats)) != rule._replace(
        attach_formats=tuple(rule.attach_formats)
    )
