"""Template services of the API function, each built on first use."""

from functools import cached_property

from chalicelib.adapters.aws.functions import LambdaFunction
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.clock import Clock
from chalicelib.core.ids import IdGenerator
from chalicelib.core.json import JsonObject
from chalicelib.features.previews.dry_run_datasets import DryRunDatasets
from chalicelib.features.previews.lint import LintTemplates
from chalicelib.features.renders.accept.templates import ResolveTemplate
from chalicelib.features.renders.accept.uploads import ReadUploadedHtml
from chalicelib.features.renders.run.after_final import SettleAndPublish
from chalicelib.features.templates.change import ChangeTemplate
from chalicelib.features.templates.create import CreateTemplate
from chalicelib.features.templates.datasets import ChangeDatasets, ReadDatasets
from chalicelib.features.templates.draft import ReplaceDraft, SourceCheck
from chalicelib.features.templates.options import check_options
from chalicelib.features.templates.publish import DatasetDryRun, PublishTemplate
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.templates.source_texts import SourceTexts
from chalicelib.features.templates.sources import CachedTemplateSources
from chalicelib.features.templates.store_source import StoreSource
from chalicelib.features.templates.trash import TrashTemplate
from chalicelib.features.uploads.contents import UploadContents
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.uploads.repository import Uploads
from chalicelib.features.workspaces.limits.concurrency import ConcurrencyLeases
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.features.workspaces.service_state import ServiceStates
from chalicelib.settings import ApiSettings


class TemplateServices(SharedServices):
    """Services of the API function for templates, and those that they depend on."""

    def __init__(
        self, settings: ApiSettings, clients: AwsClients, *, clock: Clock, ids: IdGenerator
    ) -> None:
        """Build nothing yet."""
        super().__init__(clients, clock, main_table=settings.main_table, bucket=settings.bucket)
        self.settings = settings
        self.ids = ids

    @cached_property
    def settle_and_publish(self) -> SettleAndPublish:  # noqa: D102
        return self.make_settle_and_publish(self.settings.events_queue_url)

    @cached_property
    def source_texts(self) -> SourceTexts:  # noqa: D102
        return SourceTexts(self.objects)

    @cached_property
    def read_templates(self) -> ReadTemplates:  # noqa: D102
        return ReadTemplates(templates=self.templates, contents=self.source_texts, clock=self.clock)

    @cached_property
    def resolve_template(self) -> ResolveTemplate:  # noqa: D102
        uploaded_html = ReadUploadedHtml(self.read_uploads, UploadContents(self.objects))
        return ResolveTemplate(
            CachedTemplateSources(self.read_templates), _complete_output, uploaded_html
        )

    @cached_property
    def uploads(self) -> Uploads:  # noqa: D102
        return Uploads(self.tables, self.settings.transient_table)

    @cached_property
    def read_uploads(self) -> ReadUploads:  # noqa: D102
        return ReadUploads(uploads=self.uploads, objects=self.objects, clock=self.clock)

    @cached_property
    def store_source(self) -> StoreSource:  # noqa: D102
        return StoreSource(
            tables=self.tables,
            templates=self.templates,
            contents=self.source_texts,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def source_checks(self) -> tuple[SourceCheck, ...]:
        """Checks that refuse a draft."""
        return (check_options, self.check_schemas.check_source)

    @cached_property
    def workspaces(self) -> Workspaces:  # noqa: D102
        return Workspaces(self.tables, self.settings.main_table)

    @cached_property
    def render_function(self) -> LambdaFunction:  # noqa: D102
        return LambdaFunction(self.clients, self.settings.render_function)

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
    def dry_run_datasets(self) -> DatasetDryRun:  # noqa: D102
        return DryRunDatasets(
            workspaces=self.workspaces,
            datasets=self.read_datasets,
            templates=self.resolve_template,
            schemas=self.check_schemas,
            bodies=self.bodies,
            function=self.render_function,
            state=self.service_states,
            leases=self.leases,
            region=self.settings.region,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def service_states(self) -> ServiceStates:  # noqa: D102
        return ServiceStates(self.tables, self.settings.main_table, self.clock)

    @cached_property
    def leases(self) -> ConcurrencyLeases:  # noqa: D102
        return ConcurrencyLeases(limits=self.limits, clock=self.clock, ids=self.ids)

    @cached_property
    def read_datasets(self) -> ReadDatasets:  # noqa: D102
        return ReadDatasets(templates=self.templates, contents=self.source_texts)

    @cached_property
    def change_datasets(self) -> ChangeDatasets:  # noqa: D102
        return ChangeDatasets(
            tables=self.tables,
            templates=self.templates,
            store=self.store_source,
            read=self.read_datasets,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def publish_template(self) -> PublishTemplate:  # noqa: D102
        return PublishTemplate(
            tables=self.tables,
            templates=self.templates,
            contents=self.source_texts,
            outbox=self.outbox,
            publish=self.settle_and_publish.publish,
            dry_run=self.dry_run_datasets,
            clock=self.clock,
        )

    @cached_property
    def create_template(self) -> CreateTemplate:  # noqa: D102
        return CreateTemplate(
            tables=self.tables,
            templates=self.templates,
            store=self.store_source,
            checks=self.source_checks,
            publish=self.publish_template,
            dry_run=self.dry_run_datasets,
            clock=self.clock,
            ids=self.ids,
        )

    @cached_property
    def replace_draft(self) -> ReplaceDraft:  # noqa: D102
        return ReplaceDraft(
            tables=self.tables,
            templates=self.templates,
            store=self.store_source,
            checks=self.source_checks,
            clock=self.clock,
        )

    @cached_property
    def change_template(self) -> ChangeTemplate:  # noqa: D102
        return ChangeTemplate(tables=self.tables, templates=self.templates, clock=self.clock)

    @cached_property
    def trash_template(self) -> TrashTemplate:  # noqa: D102
        return TrashTemplate(tables=self.tables, templates=self.templates, clock=self.clock)


def _complete_output(explicit: JsonObject) -> OutputOptions:
    from chalicelib.contract.render.output import complete_output  # noqa: PLC0415 -- pydantic

    return complete_output(explicit)
