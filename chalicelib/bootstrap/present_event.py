"""Presenter of events: the object that a webhook shows, for the relay and the operator tool."""

from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.signing_keys import SigningKeys
from chalicelib.adapters.aws.table import Item
from chalicelib.bootstrap.shared_services import SharedServices
from chalicelib.core.json import JsonObject
from chalicelib.features.events.model import DomainEvent, EventType
from chalicelib.features.files.signed_urls import SignedFileUrls
from chalicelib.features.renders.events import RENDER_EVENT_TYPES
from chalicelib.features.renders.present import PresentRender
from chalicelib.features.renders.rows import render_of
from chalicelib.features.webhooks.subscribe import PresentObject
from chalicelib.features.workspaces.repository import Workspaces


def event_presenter(
    state: SharedServices, *, signing_secret: str, files_host: str
) -> PresentObject:
    """Return the presenter of events: of a render as the API shows it."""
    clock = state.clock
    workspaces = Workspaces(state.tables, state.main_table)
    signing_keys = SigningKeys(Secret(state.clients, signing_secret, clock), clock)
    file_urls = SignedFileUrls(
        files=state.files,
        workspaces=workspaces,
        objects=state.objects,
        clock=clock,
        files_host=files_host,
        signing_keys=lambda: signing_keys.valid_keys,
    )
    present_render = PresentRender(file_urls=file_urls, clock=clock)

    def present(event_type: EventType, event: DomainEvent, row: Item) -> JsonObject:
        assert event_type.describe is not None
        if event_type not in RENDER_EVENT_TYPES:
            return event_type.describe(event, row)
        workspace = workspaces.get(event.workspace_id)
        with_urls = workspace is None or workspace.webhook_file_urls
        return present_render(render_of(row).at(event.created_at), with_urls=with_urls)

    return present
