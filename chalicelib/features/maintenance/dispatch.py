"""Do for a due item what it is due for."""

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
    """Finds whose business a due item is by its key."""

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
        """Take what looks after each kind."""
        self._render = render
        self._limits = limits
        self._key = key
        self._workspace = workspace
        self._template = template
        self._workspaces = workspaces

    def __call__(self, item: DueItem) -> None:
        """Look after one item; raises Poison for one that nobody knows.

        What went with its workspace is nobody's any more.
        """
        try:
            self._dispatch(item)
        except PoisonMessage:
            found = _IN_WORKSPACE.match(item.pk)
            if found is None or not self._is_deleted(found["workspace"]):
                raise
            log.info("its workspace is deleted")

    def _is_deleted(self, workspace_id: str) -> bool:
        return is_id("ws", workspace_id) and self._workspaces.get(WorkspaceId(workspace_id)) is None

    def _dispatch(self, item: DueItem) -> None:
        if item.sk == "META" and (found := _RENDER.fullmatch(item.pk)):
            self._render(WorkspaceId(found["workspace"]), RenderId(found["render"]))
        elif item.sk == "META" and (found := _TEMPLATE.fullmatch(item.pk)):
            self._template(WorkspaceId(found["workspace"]), found["template"])
        elif item.sk == "META" and (found := _LIMITS.fullmatch(item.pk)):
            self._limits(WorkspaceId(found["workspace"]))
        elif item.sk == "META" and (found := _WORKSPACE.fullmatch(item.pk)):
            self._workspace(WorkspaceId(found["workspace"]))
        elif item.sk == "META" and (found := _KEY.fullmatch(item.pk)) and self._key(found["key"]):
            pass
        else:
            reason = f"no handler for {item.pk} {item.sk}"
            raise PoisonMessage(reason)
