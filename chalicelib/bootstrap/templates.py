"""What the API function's views of templates ask for, each part built on first use."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from chalicelib.adapters.aws.functions import Function
from chalicelib.adapters.aws.session import Clients
from chalicelib.bootstrap.state import State
from chalicelib.core.clock import Clock
from chalicelib.core.ids import Ids
from chalicelib.features.renders.conclude import ConcludeRender
from chalicelib.features.renders.lint import LintTemplates
from chalicelib.features.renders.rehearse import RehearseDatasets
from chalicelib.features.renders.templates import PutTemplates
from chalicelib.features.renders.uploaded import UploadedHtml
from chalicelib.features.templates.change import ChangeTemplate
from chalicelib.features.templates.contents import TemplateContents
from chalicelib.features.templates.create import CreateTemplate
from chalicelib.features.templates.datasets import ChangeDatasets, ReadDatasets
from chalicelib.features.templates.draft import CheckSource, ReplaceDraft
from chalicelib.features.templates.keeping import KeepSource
from chalicelib.features.templates.options import check_options
from chalicelib.features.templates.publish import PublishTemplate, Rehearse
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.templates.sources import StoredTemplates
from chalicelib.features.templates.trash import TrashTemplate
from chalicelib.features.uploads.contents import UploadContents
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.uploads.repository import Uploads
from chalicelib.features.workspaces.places import Places
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.features.workspaces.service_state import ServiceStates
from chalicelib.settings import ApiSettings


class TemplateServices(State):
    """The parts of the API function that stand for templates."""

    def __init__(self, settings: ApiSettings, clients: Clients, *, clock: Clock, ids: Ids) -> None:
        """Build nothing yet."""
        super().__init__(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
        self.settings = settings
        self.ids = ids

    @cached_property
    def conclude_render(self) -> ConcludeRender:  # noqa: D102
        return self.conclude(self.settings.events_queue_url)

    @cached_property
    def template_contents(self) -> TemplateContents:  # noqa: D102
        return TemplateContents(self.objects)

    @cached_property
    def read_templates(self) -> ReadTemplates:  # noqa: D102
        return ReadTemplates(
            templates=self.templates, contents=self.template_contents, clock=self.clock
        )

    @cached_property
    def put_templates(self) -> PutTemplates:  # noqa: D102
        uploaded = UploadedHtml(self.read_uploads, UploadContents(self.objects))
        return PutTemplates(StoredTemplates(self.read_templates), _complete_output, uploaded)

    @cached_property
    def uploads(self) -> Uploads:  # noqa: D102
        return Uploads(self.tables, self.settings.transient_table)

    @cached_property
    def read_uploads(self) -> ReadUploads:  # noqa: D102
        return ReadUploads(uploads=self.uploads, objects=self.objects, clock=self.clock)

    @cached_property
    def keep_source(self) -> KeepSource:  # noqa: D102
        return KeepSource(
            tables=self.tables,
            templates=self.templates,
            contents=self.template_contents,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def check_sources(self) -> tuple[CheckSource, ...]:
        """What a draft is refused for."""
        return (check_options, self.check_schemas.source)

    @cached_property
    def workspaces(self) -> Workspaces:  # noqa: D102
        return Workspaces(self.tables, self.settings.main_table)

    @cached_property
    def render_function(self) -> Function:  # noqa: D102
        return Function(self.clients, self.settings.render_function)

    @cached_property
    def lint_templates(self) -> LintTemplates:  # noqa: D102
        return LintTemplates(
            templates=self.read_templates,
            datasets=self.read_datasets,
            bodies=self.bodies,
            function=self.render_function,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def rehearse(self) -> Rehearse:  # noqa: D102
        return RehearseDatasets(
            workspaces=self.workspaces,
            datasets=self.read_datasets,
            templates=self.put_templates,
            schemas=self.check_schemas,
            bodies=self.bodies,
            function=self.render_function,
            state=self.service_states,
            places=self.places,
            region=self.settings.region,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def service_states(self) -> ServiceStates:  # noqa: D102
        return ServiceStates(self.tables, self.settings.main_table, self.clock)

    @cached_property
    def places(self) -> Places:  # noqa: D102
        return Places(limits=self.limits, clock=self.clock, ids=self.ids)

    @cached_property
    def read_datasets(self) -> ReadDatasets:  # noqa: D102
        return ReadDatasets(templates=self.templates, contents=self.template_contents)

    @cached_property
    def change_datasets(self) -> ChangeDatasets:  # noqa: D102
        return ChangeDatasets(
            tables=self.tables,
            templates=self.templates,
            keep=self.keep_source,
            read=self.read_datasets,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def publish_template(self) -> PublishTemplate:  # noqa: D102
        return PublishTemplate(
            tables=self.tables,
            templates=self.templates,
            contents=self.template_contents,
            facts=self.facts,
            tell=self.conclude_render.tell,
            rehearse=self.rehearse,
            clock=self.clock,
        )

    @cached_property
    def create_template(self) -> CreateTemplate:  # noqa: D102
        return CreateTemplate(
            tables=self.tables,
            templates=self.templates,
            keep=self.keep_source,
            checks=self.check_sources,
            publish=self.publish_template,
            rehearse=self.rehearse,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def replace_draft(self) -> ReplaceDraft:  # noqa: D102
        return ReplaceDraft(
            tables=self.tables,
            templates=self.templates,
            keep=self.keep_source,
            checks=self.check_sources,
            clock=self.clock,
        )

    @cached_property
    def change_template(self) -> ChangeTemplate:  # noqa: D102
        return ChangeTemplate(tables=self.tables, templates=self.templates, clock=self.clock)

    @cached_property
    def trash_template(self) -> TrashTemplate:  # noqa: D102
        return TrashTemplate(tables=self.tables, templates=self.templates, clock=self.clock)


def _complete_output(said: Mapping[str, Any]) -> dict[str, Any]:
    from chalicelib.contract.completing import complete_output  # noqa: PLC0415 -- pydantic

    return complete_output(said)
