"""Services of the API function by feature, each built on first use."""

import time
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Final, Literal, NamedTuple

from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.signing_keys import SigningKeys
from chalicelib.adapters.metrics import Metrics
from chalicelib.bootstrap.api_emails import EmailUseCases
from chalicelib.bootstrap.api_renders import LinkUseCases, RenderParts, RenderUseCases
from chalicelib.bootstrap.api_state import ApiState
from chalicelib.bootstrap.api_templates import TemplateUseCases
from chalicelib.bootstrap.cold_start import arm_crash_points
from chalicelib.bootstrap.event_types import CONTRACT_EVENT_TYPES, EVENT_TYPES
from chalicelib.core.check_url import CheckTargetUrl
from chalicelib.core.clock import Clock, SystemClock
from chalicelib.core.egress_policy import EgressPolicy
from chalicelib.core.ids import IdGenerator, RandomIdGenerator, RepeatableIds, WorkspaceId
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.core.trusted_proxies import TrustedProxies
from chalicelib.features.answers.repository import KeptAnswers
from chalicelib.features.batches.accept import AcceptBatch
from chalicelib.features.batches.cancel import CancelBatch
from chalicelib.features.batches.combine.succeeded_items import SucceededItems
from chalicelib.features.batches.present import PresentBatch
from chalicelib.features.batches.read import ReadBatches
from chalicelib.features.batches.release.repository import release_item
from chalicelib.features.batches.retry_failed import RetryFailedItems
from chalicelib.features.destinations.manage import CheckAddress, ManageDestinations
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.destinations.request_trial import RequestStorageTrial
from chalicelib.features.einvoices.validate import ValidateEInvoice
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.renders.accept.resolve_storage import ResolveStorage
from chalicelib.features.templates.compile_texts import CompileTexts
from chalicelib.features.uploads.create import CreateUpload, DeleteUpload
from chalicelib.features.uploads.read import ReadUploads
from chalicelib.features.uploads.repository import HeldBytes, Uploads
from chalicelib.features.usage.read import ReadUsage
from chalicelib.features.webhooks.deliveries.log import DeliveryLog
from chalicelib.features.webhooks.deliveries.repository import Deliveries
from chalicelib.features.webhooks.deliveries.send_sample import SendSample
from chalicelib.features.webhooks.endpoints.manage import ManageEndpoints
from chalicelib.features.webhooks.endpoints.repository import Endpoints
from chalicelib.features.webhooks.endpoints.secrets import SigningSecrets
from chalicelib.features.webhooks.request_webhook import FORWARD_ADVICE, AcceptRequestWebhook
from chalicelib.features.workspaces.keys.record_use import RecordKeyUse
from chalicelib.features.workspaces.keys.repository import ApiKeys
from chalicelib.features.workspaces.limits.repository import WorkspaceLimits
from chalicelib.features.workspaces.limits.request_rate import RequestRate
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.settings import ApiSettings

# The usual timeout of an invocation: the gateway's limit less the time for the response.
USUAL_WAIT_S: Final = 27.0
# Prefixes of what a request makes once for each Idempotency-Key (decision 62).
_REPEATABLE: Final = frozenset({"tpl", "ds", "src", "emc", "emr", "dst", "lnk", "whe", "upl"})


class UploadUseCases(NamedTuple):
    """Use cases for uploads."""

    create: CreateUpload
    read: ReadUploads
    delete: DeleteUpload


class FileUseCases(NamedTuple):
    """Use cases for files."""

    signed_urls: SignedFileUrls


class EInvoiceUseCases(NamedTuple):
    """Use cases for e-invoices that are no renders."""

    validate: ValidateEInvoice


class WebhookUseCases(NamedTuple):
    """Use cases for webhooks."""

    manage: ManageEndpoints
    endpoints: Endpoints
    deliveries: Deliveries
    log: DeliveryLog
    send_sample: SendSample
    event_types: Sequence[str]
    secrets: SigningSecrets
    accept_request: AcceptRequestWebhook


class UsageUseCases(NamedTuple):
    """Use cases for usage."""

    read: ReadUsage


class BatchUseCases:
    """Use cases for batches, over those for templates, uploads and files."""

    def __init__(self, state: ApiState, parts: RenderParts) -> None:
        """Build nothing yet."""
        self._state = state
        self._parts = parts

    @LockedCachedProperty
    def accept(self) -> AcceptBatch:  # noqa: D102
        state = self._state
        return AcceptBatch(
            stores=state.batch_stores,
            limits=state.limits,
            idempotency=state.idempotency,
            objects=state.objects,
            clock=state.clock,
            ids=state.ids,
            state=state.service_states,
            templates=self._parts.templates.resolve,
            storage=self._parts.storage,
            uploads=self._parts.read_uploads,
            webhooks=self._parts.accept_webhook,
            region=state.settings.region,
        )

    @LockedCachedProperty
    def read(self) -> ReadBatches:  # noqa: D102
        state = self._state
        return ReadBatches(batches=state.batch_stores.batches, bodies=state.batch_bodies)

    @LockedCachedProperty
    def present(self) -> PresentBatch:  # noqa: D102
        return PresentBatch(file_urls=self._parts.signed_urls, clock=self._state.clock)

    @LockedCachedProperty
    def cancel(self) -> CancelBatch:  # noqa: D102
        return CancelBatch(
            batches=self._state.batch_stores.batches,
            wake=self.wake,
            sleep=time.sleep,
            clock=self._state.clock,
        )

    @LockedCachedProperty
    def retry_failed(self) -> RetryFailedItems:  # noqa: D102
        state = self._state
        return RetryFailedItems(
            stores=state.batch_stores,
            items=SucceededItems(stores=state.batch_stores, renders=state.renders),
            files=state.files,
            objects=state.objects,
            wake=self.wake,
            clock=state.clock,
        )

    def wake(self, workspace_id: WorkspaceId) -> None:
        """Send a message to the releaser of a workspace; if that fails, the tick does it."""
        item = release_item(workspace_id)
        queue = self._state.queue(self._state.settings.batches_queue_url)
        queue.try_send(item.to_json(), group=item.group)


class StorageUseCases:
    """Use cases for storage destinations."""

    def __init__(self, state: ApiState, sealer: SecretSealer, rules: EgressPolicy) -> None:
        """Seal credentials with `sealer`; addresses are checked by `rules`."""
        self._state = state
        self._sealer = sealer
        self._rules = rules
        self.destinations = Destinations(table=state.main_table)

    @LockedCachedProperty
    def manage(self) -> ManageDestinations:  # noqa: D102
        state = self._state
        return ManageDestinations(
            destinations=self.destinations,
            read_part=_read_store_part,
            check_address=CheckAddress(self._rules),
            compile_texts=CompileTexts(engine=state.engine, leases=state.leases, clock=state.clock),
            sealer=self._sealer,
            clock=state.clock,
            ids=state.ids,
        )

    @LockedCachedProperty
    def request_trial(self) -> RequestStorageTrial:  # noqa: D102
        run_trial = self._state.make_run_trial(self._state.settings.upload_files_function)
        return RequestStorageTrial(destinations=self.destinations, run_trial=run_trial)


class ApiServices:
    """Use cases by feature, and the services of the edge; `state` is shared by features."""

    def __init__(
        self, settings: ApiSettings, clients: AwsClients, *, clock: Clock, ids: IdGenerator
    ) -> None:
        """Build nothing yet."""
        self.settings = settings
        self.clock = clock
        self.ids = RepeatableIds(ids, _REPEATABLE)
        self.state: Final = ApiState(settings, clients, clock=clock, ids=self.ids)
        self._signing_keys = SigningKeys(Secret(clients, settings.signing_secret, clock), clock)
        arm_crash_points(settings.crash_points)

    def warm_up(self) -> None:
        """Create the clients and read the secret before the first request needs them."""
        self.state.main_table.get("HEALTH")
        assert self.signing_keys
        self.state.render_function.prepare_client(USUAL_WAIT_S)
        Metrics(self.settings.stack, "api").count("ColdStarts")

    @LockedCachedProperty
    def renders(self) -> RenderUseCases:  # noqa: D102
        return RenderUseCases(self.state, self._render_parts)

    @LockedCachedProperty
    def batches(self) -> BatchUseCases:  # noqa: D102
        return BatchUseCases(self.state, self._render_parts)

    @LockedCachedProperty
    def _render_parts(self) -> RenderParts:
        return RenderParts(
            self.templates,
            self.uploads.read,
            self.files.signed_urls,
            self.webhooks.accept_request,
            ResolveStorage(find=Destinations(table=self.state.main_table).of_renders),
            self._egress_policy,
        )

    @LockedCachedProperty
    def templates(self) -> TemplateUseCases:  # noqa: D102
        return TemplateUseCases(self.state, self.uploads.read, self.files.signed_urls)

    @LockedCachedProperty
    def uploads(self) -> UploadUseCases:  # noqa: D102
        objects, clock = self.state.objects, self.clock
        uploads = Uploads(table=self.state.transient_table)
        held = HeldBytes(table=self.state.transient_table, clock=clock)
        return UploadUseCases(
            create=CreateUpload(
                uploads=uploads, held=held, objects=objects, clock=clock, ids=self.ids
            ),
            read=ReadUploads(uploads=uploads, objects=objects, clock=clock),
            delete=DeleteUpload(uploads=uploads, held=held, objects=objects),
        )

    @LockedCachedProperty
    def files(self) -> FileUseCases:  # noqa: D102
        signed_urls = SignedFileUrls(
            files=self.state.files,
            workspaces=self.workspaces,
            objects=self.state.objects,
            clock=self.clock,
            files_host=self.settings.files_host,
            signing_keys=lambda: self.signing_keys,
        )
        return FileUseCases(signed_urls)

    @LockedCachedProperty
    def einvoices(self) -> EInvoiceUseCases:  # noqa: D102
        validate = ValidateEInvoice(
            uploads=self.uploads.read,
            create_upload=self.uploads.create,
            function=self.state.render_function,
            leases=self.state.leases,
            clock=self.clock,
            region=self.settings.region,
        )
        return EInvoiceUseCases(validate)

    @LockedCachedProperty
    def webhooks(self) -> WebhookUseCases:  # noqa: D102
        settings, state = self.settings, self.state
        endpoints = Endpoints(table=state.main_table)
        deliveries = Deliveries(table=state.main_table)
        queue = partial(Queue, state.clients, settings.webhooks_queue_url)
        check_url = CheckTargetUrl(self._egress_policy, FORWARD_ADVICE)
        sealer = self._sealer
        secrets = SigningSecrets(endpoints=endpoints, sealer=sealer)
        manage = ManageEndpoints(
            endpoints=endpoints,
            sealer=sealer,
            check_url=check_url,
            clock=self.clock,
            ids=self.ids,
        )
        log = DeliveryLog(
            endpoints=endpoints,
            deliveries=deliveries,
            objects=state.objects,
            queue=queue,
            clock=self.clock,
        )
        send_sample = SendSample(
            types=EVENT_TYPES,
            deliveries=deliveries,
            queue=queue,
            region=settings.region,
            clock=self.clock,
            ids=self.ids,
        )
        types = [each.name for each in CONTRACT_EVENT_TYPES]
        return WebhookUseCases(
            manage=manage,
            endpoints=endpoints,
            deliveries=deliveries,
            log=log,
            send_sample=send_sample,
            event_types=types,
            secrets=secrets,
            accept_request=AcceptRequestWebhook(check_url=check_url, secrets=secrets),
        )

    @LockedCachedProperty
    def emails(self) -> EmailUseCases:  # noqa: D102
        return EmailUseCases(self.state, self._sealer, self._egress_policy, self.templates)

    @LockedCachedProperty
    def storage(self) -> StorageUseCases:  # noqa: D102
        return StorageUseCases(self.state, self._sealer, self._egress_policy)

    @LockedCachedProperty
    def signed_links(self) -> LinkUseCases:  # noqa: D102
        return LinkUseCases(self.state, self._sealer, self.templates.read, self.renders)

    @property
    def _egress_policy(self) -> EgressPolicy:
        settings = self.settings
        return EgressPolicy(allow=settings.egress_allow, own_hosts=settings.own_hosts)

    @LockedCachedProperty
    def _sealer(self) -> SecretSealer:
        return SecretSealer(self.state.clients, self.settings.data_key, self.clock)

    @LockedCachedProperty
    def answers(self) -> KeptAnswers:  # noqa: D102
        return KeptAnswers(
            table=self.state.transient_table,
            objects=self.state.objects,
            sealer=self._sealer,
            clock=self.clock,
        )

    @LockedCachedProperty
    def usage(self) -> UsageUseCases:  # noqa: D102
        return UsageUseCases(ReadUsage(table=self.state.main_table))

    @property
    def workspaces(self) -> Workspaces:  # noqa: D102
        return self.state.workspaces

    @LockedCachedProperty
    def keys(self) -> ApiKeys:  # noqa: D102
        return ApiKeys(self.state.main_table, self.state.service_states)

    @LockedCachedProperty
    def record_key_use(self) -> RecordKeyUse:  # noqa: D102
        return RecordKeyUse(self.keys)

    @property
    def limits(self) -> WorkspaceLimits:  # noqa: D102
        return self.state.limits

    @property
    def request_rate(self) -> RequestRate:  # noqa: D102
        return self.state.request_rate

    @property
    def api_host(self) -> str:
        """URL of the API without `/v1`; it has a path if the API has no domain of its own."""
        return self.settings.base_url.removesuffix("/v1")

    @LockedCachedProperty
    def trusted_proxies(self) -> TrustedProxies:
        """Proxies whose `X-Forwarded-For` counts."""
        return TrustedProxies(self.settings.trusted_proxies)

    @property
    def traces(self) -> bool:
        """Tell whether requests begin traces."""
        return self.settings.traces == "on"

    @property
    def pages_dir(self) -> str:
        """Folder of the viewer of the reference."""
        return self.settings.pages_dir

    @property
    def guides_dir(self) -> str:
        """Folder of the guides."""
        return self.settings.guides_dir

    @property
    def console_dir(self) -> str:
        """Folder of the console."""
        return self.settings.console_dir

    @property
    def file_hosts(self) -> tuple[str, str]:
        """URLs of the hosts that give files: that of signed URLs, and that of the bucket."""
        return self.settings.files_host, self.state.objects.public_host

    @property
    def signing_keys(self) -> Sequence[bytes]:
        """Keys that verify file URLs and list cursors; the first one signs."""
        return self._signing_keys.valid_keys

    @property
    def checks(self) -> Mapping[str, Callable[[], bool]]:
        """Checks of `/healthz` by name: False where a part is missing, raising where it fails."""
        return self.state.checks


@cache
def api_services() -> ApiServices:
    """Return the services of this process."""
    return ApiServices(
        ApiSettings.from_env(), AwsClients(), clock=SystemClock(), ids=RandomIdGenerator()
    )


def _read_store_part(
    provider: str, part: Literal["config", "credentials"], value: JsonObject
) -> dict[str, Json]:
    from chalicelib.contract.storage.providers import read_store_part  # noqa: PLC0415 -- pydantic

    return read_store_part(provider, part, value)
