"""Webhook endpoint of a workspace."""

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from chalicelib.adapters.aws.sealing import SealContext
from chalicelib.core.ids import EndpointId, WorkspaceId
from chalicelib.features.workspaces.model import Mode

ENDPOINT_SECRET_FIELD: Final = "signing_secret"  # noqa: S105 -- a name


class WebhookEndpoint(NamedTuple):
    """Address to which the events of a workspace are sent.

    `events` and `template_ids` are filters; no template ids: all events. `headers` are sent with
    every delivery. With `test_only` it gets events of test renders only: it was
    `made_in_test_mode`, or its URL is not secure. `sealed_secret` signs;
    `sealed_previous_secret` signs as well until `previous_secret_expires_at`. `failing_since` is
    the first failure since the last success. `is_slow`: the last attempt failed, or took long;
    None before the first one. `enabled_since` is when it was last enabled again.
    `is_of_restricted_key`: a key with a template allowlist made it.
    """

    id: EndpointId
    workspace_id: WorkspaceId
    url: str
    description: str | None
    events: tuple[str, ...]
    template_ids: tuple[str, ...]
    headers: Mapping[str, str]
    enabled: bool
    made_in_test_mode: bool
    test_only: bool
    sealed_secret: str
    created_at: str
    updated_at: str
    sealed_previous_secret: str | None = None
    previous_secret_expires_at: str | None = None
    disabled_reason: str | None = None
    failing_since: str | None = None
    is_slow: bool | None = None
    enabled_since: str | None = None
    is_of_restricted_key: bool = False

    @property
    def mode(self) -> Mode:
        """Return the mode of the key that made it."""
        return "test" if self.made_in_test_mode else "live"

    @property
    def secret_place(self) -> SealContext:
        """Return the place in which its secrets are sealed."""
        return SealContext(self.workspace_id, self.id, ENDPOINT_SECRET_FIELD)

    def is_visible_to(self, mode: Mode, templates: Collection[str] = ()) -> bool:
        """Tell whether a key may see it.

        Test keys see those of test keys, and a key with an allowlist `templates` those whose filter
        lets its templates pass only.
        """
        is_of_mode = mode == "live" or self.made_in_test_mode
        is_of_templates = bool(self.template_ids) and {*self.template_ids} <= {*templates}
        return is_of_mode and (not templates or is_of_templates)

    def may_get(self, *, test: bool) -> bool:
        """Tell whether it may get an event; with `test_only` it gets none of live renders."""
        return test or not self.test_only

    def is_subscribed(self, event_type: str, template_id: str | None, *, test: bool) -> bool:
        """Tell whether an event passes the filters, whether or not the endpoint is enabled."""
        has_template = not self.template_ids or template_id in self.template_ids
        return event_type in self.events and has_template and self.may_get(test=test)
