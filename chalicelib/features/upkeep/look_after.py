"""Do for a due item what it is due for."""

import re
from typing import Final

from chalicelib.adapters.aws.messages import Poison
from chalicelib.core.ids import RenderId, WorkspaceId
from chalicelib.features.due.message import LookAt
from chalicelib.features.templates.upkeep import UpkeepTemplate
from chalicelib.features.upkeep.limits import ReconcileLimits
from chalicelib.features.upkeep.renders import UpkeepRender
from chalicelib.features.upkeep.workspaces import DeleteWorkspace
from chalicelib.features.workspaces.key_expiry import WarnOfKeyExpiry

_RENDER: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)#RND#(?P<render>rnd_[^#]+)")
_TEMPLATE: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)#TPL#(?P<template>tpl_[^#]+)")
_KEY: Final = re.compile(r"KEY#(?P<key>[0-9A-Za-z]+)")
_WORKSPACE: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)")
_LIMITS: Final = re.compile(r"WS#(?P<workspace>ws_[^#]+)#LIM")


class LookAfter:
    """Finds whose business a due item is by its key."""

    def __init__(
        self,
        *,
        render: UpkeepRender,
        limits: ReconcileLimits,
        key: WarnOfKeyExpiry,
        workspace: DeleteWorkspace,
        template: UpkeepTemplate,
    ) -> None:
        """Take what looks after each kind."""
        self._render = render
        self._limits = limits
        self._key = key
        self._workspace = workspace
        self._template = template

    def __call__(self, item: LookAt) -> None:
        """Look after one item; raises Poison for one that nobody knows."""
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
            reason = f"nobody looks after {item.pk} {item.sk}"
            raise Poison(reason)
