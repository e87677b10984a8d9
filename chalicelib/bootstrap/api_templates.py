"""Use cases of the API function for templates, each built on first use."""

from chalicelib.bootstrap.api_state import ApiState
from chalicelib.contract.options.output import OutputOptions
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.features.emails.rules.read import ReadRules
from chalicelib.features.emails.rules.repository import StoredRules
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.previews.compare_versions import CompareVersions
from chalicelib.features.previews.comparison_files import ComparisonFiles
from chalicelib.features.previews.dry_run_datasets import DryRunDatasets
from chalicelib.features.previews.engine_checks import CheckInEngine
from chalicelib.features.previews.thumbnail import DrawThumbnail
from chalicelib.features.renders.accept.check_uploads import ReadUploadedHtml
from chalicelib.features.renders.accept.resolve_template import ResolveTemplate
from chalicelib.features.templates.change import ChangeTemplate
from chalicelib.features.templates.create import CreateTemplate
from chalicelib.features.templates.datasets import ChangeDatasets, ReadDatasets
from chalicelib.features.templates.model import SourceBundle
from chalicelib.features.templates.options import check_options
from chalicelib.features.templates.present import PresentTemplate
from chalicelib.features.templates.publish import DatasetDryRun, PublishTemplate
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.templates.replace_draft import ReplaceDraft, SourceCheck
from chalicelib.features.templates.source_texts import SourceTexts
from chalicelib.features.templates.sources import CachedTemplateSources
from chalicelib.features.templates.store_source import StoreSource
from chalicelib.features.templates.trash import TrashTemplate
from chalicelib.features.uploads.contents import UploadContents
from chalicelib.features.uploads.read import ReadUploads


class TemplateUseCases:
    """Use cases for templates and their datasets, and those that renders need of them."""

    def __init__(
        self, state: ApiState, read_uploads: ReadUploads, signed_urls: SignedFileUrls
    ) -> None:
        """Build nothing yet."""
        self._state = state
        self._read_uploads = read_uploads
        self._signed_urls = signed_urls

    @LockedCachedProperty
    def present(self) -> PresentTemplate:  # noqa: D102
        return PresentTemplate(file_urls=self._signed_urls, clock=self._state.clock)

    @LockedCachedProperty
    def read(self) -> ReadTemplates:  # noqa: D102
        return ReadTemplates(
            templates=self._state.templates, contents=self.source_texts, clock=self._state.clock
        )

    @LockedCachedProperty
    def create(self) -> CreateTemplate:  # noqa: D102
        return CreateTemplate(
            table=self._state.main_table,
            templates=self._state.templates,
            store=self._store_source,
            checks=self._source_checks,
            publish=self.publish,
            dry_run=self.dry_run,
            clock=self._state.clock,
            ids=self._state.ids,
        )

    @LockedCachedProperty
    def change(self) -> ChangeTemplate:  # noqa: D102
        state = self._state
        return ChangeTemplate(table=state.main_table, templates=state.templates, clock=state.clock)

    @LockedCachedProperty
    def replace_draft(self) -> ReplaceDraft:  # noqa: D102
        return ReplaceDraft(
            table=self._state.main_table,
            templates=self._state.templates,
            store=self._store_source,
            checks=self._source_checks,
            clock=self._state.clock,
        )

    @LockedCachedProperty
    def publish(self) -> PublishTemplate:  # noqa: D102
        return PublishTemplate(
            table=self._state.main_table,
            templates=self._state.templates,
            contents=self.source_texts,
            store=self._store_source,
            files=self._state.files,
            outbox=self._state.outbox,
            publish=self._state.settle_and_publish.publish,
            dry_run=self.dry_run,
            clock=self._state.clock,
        )

    @LockedCachedProperty
    def trash(self) -> TrashTemplate:  # noqa: D102
        state = self._state
        return TrashTemplate(table=state.main_table, templates=state.templates, clock=state.clock)

    @LockedCachedProperty
    def read_datasets(self) -> ReadDatasets:  # noqa: D102
        return ReadDatasets(templates=self._state.templates, contents=self.source_texts)

    @LockedCachedProperty
    def change_datasets(self) -> ChangeDatasets:  # noqa: D102
        return ChangeDatasets(
            table=self._state.main_table,
            templates=self._state.templates,
            store=self._store_source,
            read=self.read_datasets,
            clock=self._state.clock,
            ids=self._state.ids,
        )

    @LockedCachedProperty
    def dry_run(self) -> DatasetDryRun:  # noqa: D102
        return DryRunDatasets(
            workspaces=self._state.workspaces,
            datasets=self.read_datasets,
            templates=self.resolve,
            schemas=self._state.schemas,
            engine=self._state.engine,
            draw_thumbnail=DrawThumbnail(pdf_tools=self._state.pdf_tools),
            state=self._state.service_states,
            leases=self._state.leases,
            region=self._state.settings.region,
            clock=self._state.clock,
            ids=self._state.ids,
        )

    @LockedCachedProperty
    def compare(self) -> CompareVersions:  # noqa: D102
        state = self._state
        return CompareVersions(
            templates=self.resolve,
            sources=self.resolve.templates,
            datasets=self.read_datasets,
            schemas=state.schemas,
            engine=state.engine,
            pdf_tools=state.pdf_tools,
            files=ComparisonFiles(
                table=state.main_table,
                files=state.files,
                objects=state.objects,
                clock=state.clock,
                ids=state.ids,
            ),
            state=state.service_states,
            leases=state.leases,
            region=state.settings.region,
            clock=state.clock,
            ids=state.ids,
        )

    @LockedCachedProperty
    def engine_checks(self) -> CheckInEngine:  # noqa: D102
        return CheckInEngine(
            templates=self.read,
            datasets=self.read_datasets,
            engine=self._state.engine,
            clock=self._state.clock,
            ids=self._state.ids,
        )

    @LockedCachedProperty
    def resolve(self) -> ResolveTemplate:  # noqa: D102
        uploaded_html = ReadUploadedHtml(
            uploads=self._read_uploads, contents=UploadContents(objects=self._state.objects)
        )
        state = self._state
        rules = StoredRules(table=state.main_table)
        return ResolveTemplate(
            templates=CachedTemplateSources(self.read),
            complete_output=_complete_output,
            read_upload_html=uploaded_html,
            read_email_rules=ReadRules(templates=state.templates, rules=rules).for_job,
        )

    @LockedCachedProperty
    def source_texts(self) -> SourceTexts:  # noqa: D102
        return SourceTexts(objects=self._state.objects)

    @LockedCachedProperty
    def _store_source(self) -> StoreSource:
        return StoreSource(
            table=self._state.main_table,
            templates=self._state.templates,
            contents=self.source_texts,
            clock=self._state.clock,
            ids=self._state.ids,
        )

    @property
    def _source_checks(self) -> tuple[SourceCheck, ...]:
        """Return the checks that refuse a draft."""
        return (check_options, self._check_schema)

    def _check_schema(self, workspace_id: WorkspaceId, source: SourceBundle) -> None:
        self._state.placed_schemas(workspace_id).check_source(source)


def _complete_output(explicit: JsonObject) -> OutputOptions:
    from chalicelib.contract.render.output import complete_output  # noqa: PLC0415 -- pydantic

    return complete_output(explicit)
