"""Find a template by its id alone, as the operator names it."""

from itertools import batched

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.errors import NotFound
from chalicelib.core.ids import WorkspaceId
from chalicelib.features.templates.model import Template
from chalicelib.features.templates.repository import Templates
from chalicelib.features.workspaces.repository import Workspaces


class FindTemplate:
    """Finds templates of all workspaces, in the trash or not."""

    def __init__(self, *, workspaces: Workspaces, templates: Templates) -> None:
        """Look there."""
        self._workspaces = workspaces
        self._templates = templates

    def __call__(self, template_id: str, workspace_id: WorkspaceId | None) -> Template:
        """Return a template, of one workspace where it is named; raises `template_not_found`."""
        ids = [workspace_id] if workspace_id else [row.id for row in self._workspaces.all()]
        for some in batched(ids, BATCH_GET_LIMIT, strict=False):
            found = self._templates.of_any(some, template_id)
            if found is not None:
                return found
        where = "that workspace" if workspace_id else "any workspace"
        detail = f"There is no template {template_id[:64]} in {where}."
        raise NotFound("template_not_found", detail)
