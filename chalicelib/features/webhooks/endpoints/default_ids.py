"""Ids of the default endpoints of a workspace, one of each mode, in `META` of its endpoints.

Earlier releases kept one `default_id` for both modes. Such a row is read as one default of each
mode, and the first change of endpoints writes it anew.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from chalicelib.adapters.aws.table import Row, RowValue
from chalicelib.core.ids import EndpointId
from chalicelib.features.webhooks.endpoints.model import WebhookEndpoint
from chalicelib.features.workspaces.model import Mode

type DefaultIds = Mapping[Mode, EndpointId]

_ATTRIBUTES: Final[Mapping[Mode, str]] = {"live": "live_default_id", "test": "test_default_id"}
_EARLIER_ATTRIBUTE: Final = "default_id"


def is_of_earlier_release(meta: Row) -> bool:
    """Tell whether a row has one default of no mode."""
    return _EARLIER_ATTRIBUTE in meta


def earlier_default_id(meta: Row) -> EndpointId | None:
    """Return the default that an earlier release has stored for both modes, or None."""
    found: EndpointId | None = meta.get(_EARLIER_ATTRIBUTE)
    return found


def stored_defaults(meta: Row) -> DefaultIds:
    """Return the defaults of a row of this release."""
    return {mode: meta[name] for mode, name in _ATTRIBUTES.items() if meta.get(name)}


def defaults_of_earlier_row(meta: Row, endpoints: Sequence[WebhookEndpoint]) -> DefaultIds:
    """Return the defaults of a row of an earlier release: its own, and the oldest of its mode."""
    earlier_id = earlier_default_id(meta)
    own_first = sorted(endpoints, key=lambda each: (each.id != earlier_id, each.id))
    return {each.mode: each.id for each in reversed(own_first)}


def defaults_without(
    defaults: DefaultIds, gone: WebhookEndpoint, others: Sequence[WebhookEndpoint]
) -> DefaultIds:
    """Return the defaults once an endpoint is gone: of its mode the oldest other one follows.

    Endpoints of restricted keys do not follow by themselves: they would sign for all templates.
    """
    if defaults.get(gone.mode) != gone.id:
        return defaults
    kept = {mode: each for mode, each in defaults.items() if mode != gone.mode}
    heirs = [each for each in others if each.mode == gone.mode and not each.is_of_restricted_key]
    return kept | {each.mode: each.id for each in heirs[:1]}


def meta_with_defaults(meta: Row, defaults: DefaultIds) -> dict[str, RowValue]:
    """Return a row with other defaults, in the form of this release."""
    rest = {name: value for name, value in meta.items() if name != _EARLIER_ATTRIBUTE}
    return rest | {name: defaults.get(mode) for mode, name in _ATTRIBUTES.items()}
