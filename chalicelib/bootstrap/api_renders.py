"""Use cases of the API function for renders and signed links, each built on first use."""

from typing import NamedTuple

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.bootstrap.api_state import ApiState
from chalicelib.bootstrap.api_templates import TemplateUseCases
from chalicelib.core.egress_policy import EgressPolicy
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.previews.cost import ReadCost
from chalicelib.features.previews.preflight import PreflightRender
from chalicelib.features.renders.accept.create import CreateRender
from chalicelib.features.renders.accept.resolve_source_files import ResolveSourceFiles
from chalicelib.features.renders.accept.resolve_storage import ResolveStorage
from chalicelib.features.renders.cancel import CancelRender
from chalicelib.features.renders.present import PresentRender
from chalicelib.features.renders.purge import PurgeFiles
from chalicelib.features.renders.read import ReadRenders
from chalicelib.features.renders.read_log import ReadRenderEvents, ReadRenderLog
from chalicelib.features.renders.run.end import EndRender
from chalicelib.features.renders.run.enqueue import EnqueueRender
from chalicelib.features.renders.run.run_now import RunNow
from chalicelib.features.signed_links.make_once import MakeOnce
from chalicelib.features.signed_links.manage import ManageLinks
from chalicelib.features.signed_links.repository import SignedLinks
from chalicelib.features.signed_links.serve import ServeLink
from chalicelib.features.templates.read import ReadTemplates
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.webhooks.request_webhook import AcceptRequestWebhook


class RenderParts(NamedTuple):
    """Use cases of other features that accepting and showing renders needs."""

    templates: TemplateUseCases
    read_uploads: ReadUploads
    signed_urls: SignedFileUrls
    accept_webhook: AcceptRequestWebhook
    storage: ResolveStorage
    destinations: EgressPolicy


class RenderUseCases:
    """Use cases for renders, over those for templates, uploads and files."""

    def __init__(self, state: ApiState, parts: RenderParts) -> None:
        """Build nothing yet."""
        self._state = state
        self._parts = parts

    @LockedCachedProperty
    def create(self) -> CreateRender:  # noqa: D102
        return CreateRender(
            table=self._state.main_table,
            renders=self._state.renders,
            limits=self._state.limits,
            idempotency=self._state.idempotency,
            bodies=self._state.bodies,
            clock=self._state.clock,
            ids=self._state.ids,
            state=self._state.service_states,
            templates=self._parts.templates.resolve,
            storage=self._parts.storage,
            source_files=self._source_files,
            uploads=self._parts.read_uploads,
            schemas=self._state.schemas,
            placed_schemas=self._state.placed_schemas,
            webhooks=self._parts.accept_webhook,
            region=self._state.settings.region,
        )

    @LockedCachedProperty
    def preflight(self) -> PreflightRender:  # noqa: D102
        return PreflightRender(
            templates=self._parts.templates.resolve,
            storage=self._parts.storage,
            source_files=self._source_files,
            uploads=self._parts.read_uploads,
            schemas=self._state.schemas,
            engine=self._parts.templates.engine_checks,
            leases=self._state.leases,
            webhooks=self._parts.accept_webhook,
            destinations=self._parts.destinations,
            region=self._state.settings.region,
        )

    @LockedCachedProperty
    def read_cost(self) -> ReadCost:  # noqa: D102
        return ReadCost(limits=self._state.limits, clock=self._state.clock)

    @LockedCachedProperty
    def _source_files(self) -> ResolveSourceFiles:
        state = self._state
        return ResolveSourceFiles(
            files=state.files,
            renders=state.renders,
            uploads=self._parts.read_uploads,
            clock=state.clock,
        )

    @LockedCachedProperty
    def run_now(self) -> RunNow:  # noqa: D102
        return RunNow(
            renders=self._state.renders,
            function=self._state.render_function,
            enqueue=self.enqueue,
            end=self.end,
            idempotency=self._state.idempotency,
            clock=self._state.clock,
        )

    @LockedCachedProperty
    def enqueue(self) -> EnqueueRender:  # noqa: D102
        settings = self._state.settings
        return EnqueueRender(
            table=self._state.main_table,
            renders=self._state.renders,
            bodies=self._state.bodies,
            queues=self._state.render_queues(
                settings.renders_queue_url, settings.renders_low_queue_url
            ),
            clock=self._state.clock,
        )

    @LockedCachedProperty
    def read(self) -> ReadRenders:  # noqa: D102
        state = self._state
        return ReadRenders(renders=state.renders)

    @LockedCachedProperty
    def read_log(self) -> ReadRenderLog:  # noqa: D102
        return ReadRenderLog(renders=self._state.renders, outbox=self._state.outbox)

    @LockedCachedProperty
    def events(self) -> ReadRenderEvents:  # noqa: D102
        return ReadRenderEvents(outbox=self._state.outbox)

    @LockedCachedProperty
    def present(self) -> PresentRender:  # noqa: D102
        return PresentRender(
            file_urls=self._parts.signed_urls,
            receipt_rows=self._state.renders.receipts,
            clock=self._state.clock,
            region=self._state.settings.region,
        )

    @LockedCachedProperty
    def cancel(self) -> CancelRender:  # noqa: D102
        return CancelRender(renders=self._state.renders, end=self.end, clock=self._state.clock)

    @LockedCachedProperty
    def end(self) -> EndRender:  # noqa: D102
        return self._state.make_end_render(self._state.settle_and_publish)

    @LockedCachedProperty
    def purge(self) -> PurgeFiles:  # noqa: D102
        return self._state.make_purge_files(self._state.settle_and_publish)


class LinkUseCases:
    """Use cases for signed links, over those for renders."""

    def __init__(
        self,
        state: ApiState,
        sealer: SecretSealer,
        read_templates: ReadTemplates,
        renders: RenderUseCases,
    ) -> None:
        """Seal secrets with `sealer`."""
        self._state = state
        self._sealer = sealer
        self._read_templates = read_templates
        self._renders = renders
        self._links = SignedLinks(table=state.main_table)

    @LockedCachedProperty
    def manage(self) -> ManageLinks:  # noqa: D102
        return ManageLinks(
            links=self._links,
            templates=self._read_templates,
            sealer=self._sealer,
            files_host=self._state.settings.files_host,
            clock=self._state.clock,
            ids=self._state.ids,
        )

    @LockedCachedProperty
    def serve(self) -> ServeLink:  # noqa: D102
        state = self._state
        make_once = MakeOnce(
            links=self._links,
            renders=state.renders,
            objects=state.objects,
            create=self._renders.create,
            run_now=self._renders.run_now,
            clock=state.clock,
        )
        return ServeLink(
            links=self._links,
            sealer=self._sealer,
            workspaces=state.workspaces,
            make_once=make_once,
            clock=state.clock,
        )
