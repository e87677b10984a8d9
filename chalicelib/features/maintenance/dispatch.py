"""Dispatch of due items to the handlers of their kinds."""

import logging
from collections.abc import Callable, Collection, Mapping

import msgspec

from chalicelib.adapters.aws.due_items import DueItem
from chalicelib.adapters.aws.messages import PoisonMessageError
from chalicelib.core.ids import WorkspaceId, is_id
from chalicelib.core.message_version import UnknownVersion
from chalicelib.features.workspaces.repository import Workspaces

log = logging.getLogger(__name__)

type HandleDueItem = Callable[[DueItem], None]


class DueDispatcher(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Dispatcher that chooses the handler of a due item by its kind.

    Items are `META` rows, but for those of `listed_kinds`, which stand among others.
    """

    handlers: Mapping[str, HandleDueItem]
    workspaces: Workspaces
    listed_kinds: Collection[str] = ()

    def __call__(self, item: DueItem) -> None:
        """Handle one item.

        An item that was deleted with its workspace is ignored. Raise UnknownVersion if its kind is
        unknown, PoisonMessageError if it is.
        """
        handle = self.handlers.get(item.kind)
        if handle is None:
            reason = f"no handler for {item.kind} {item.pk} {item.sk}"
            raise UnknownVersion(reason)
        if item.sk != "META" and item.kind not in self.listed_kinds:
            reason = f"there is no due item {item.pk} {item.sk}"
            raise PoisonMessageError(reason)
        try:
            handle(item)
        except PoisonMessageError:
            if not self._is_deleted(item):
                raise
            log.info("its workspace is deleted")

    def _is_deleted(self, item: DueItem) -> bool:
        workspace_id = item.ids().get("WS", "")
        # The row of a workspace is deleted last, so its own item is never missing before.
        is_in_workspace = item.pk != f"WS#{workspace_id}" and is_id("ws", workspace_id)
        return is_in_workspace and self.workspaces.get(WorkspaceId(workspace_id)) is None
