"""Dispatch of due items to their handlers."""

import logging
import re
from typing import Final

from chalicelib.adapters.aws.messages import PoisonMessage
from chalicelib.core.ids import RenderId, WorkspaceId, is_id
from chalicelib.features.maintenance.delete_workspace import DeleteWorkspace
from chalicelib.features.maintenance.due_items import DueItem
from chalicelib.features.maintenance.due_renders import HandleDueRender
from chalicelib.features.maintenance.reconcile_limits import ReconcileLimits
from chalicelib.features.templates.due_templates import HandleDueTemplate
from chalicelib.features.workspaces.keys.expiry_warning import WarnOfKeyExpiry
from chalicelib.features.workspaces.repository import Workspaces

log = logging.getLogger(__name__)

_RENDER: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)#RND#(?P<render>rnd_[^#]+)")
_TEMPLATE: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)#TPL#(?P<template>tpl_[^#]+)")
_KEY: Final = re.compile(r"KEY#(?P<key>[0-9A-Za-z]+)")
_IN_WORKSPACE: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)#")
_WORKSPACE: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)")
_LIMITS: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)#LIM")


class DueDispatcher:
    """Dispatcher that chooses the handler of a due item by its key."""

    def __init__(
        self,
        *,
        render: HandleDueRender,
        limits: ReconcileLimits,
        key: WarnOfKeyExpiry,
        workspace: DeleteWorkspace,
        template: HandleDueTemplate,
        workspaces: Workspaces,
    ) -> None:
        """Store the handler of each kind of item."""
        self._render = render
        self._limits = limits
        self._key = key
        self._workspace = workspace
        self._template = template
        self._workspaces = workspaces

    def __call__(self, item: DueItem) -> None:
        """Handle one item; raise PoisonMessage if its kind or the item is unknown.

        An item that was deleted with its workspace is ignored.
        """
        try:
            self._dispatch(item)
        except PoisonMessage:
            match = _IN_WORKSPACE.match(item.pk)
            if match is None or not self._is_deleted(match["workspace"]):
                raise
            log.info("its workspace is deleted")

    def _is_deleted(self, workspace_id: str) -> bool:
        return is_id("ws", workspace_id) and self._workspaces.get(WorkspaceId(workspace_id)) is None

    def _dispatch(self, item: DueItem) -> None:
        if item.sk == "META" and (match := _RENDER.fullmatch(item.pk)):
            self._render(WorkspaceId(match["workspace"]), RenderId(match["render"]))
        elif item.sk == "META" and (match := _TEMPLATE.fullmatch(item.pk)):
            self._template(WorkspaceId(match["workspace"]), match["template"])
        elif item.sk == "META" and (match := _LIMITS.fullmatch(item.pk)):
            self._limits(WorkspaceId(match["workspace"]))
        elif item.sk == "META" and (match := _WORKSPACE.fullmatch(item.pk)):
            self._workspace(WorkspaceId(match["workspace"]))
        elif item.sk == "META" and (match := _KEY.fullmatch(item.pk)) and self._key(match["key"]):
            pass
        else:
            reason = f"no handler for {item.pk} {item.sk}"
            raise PoisonMessage(reason)
