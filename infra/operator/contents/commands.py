"""`platen export` and `platen import`: a workspace as a file, without its secrets."""

from itertools import batched
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from chalicelib.adapters.aws.table import BATCH_GET_LIMIT
from chalicelib.core.ids import WorkspaceId
from infra.operator.connection import contents_service, operator
from infra.operator.contents.import_workspace import IdMap, ImportWorkspace
from infra.operator.contents.model import WorkspaceFile, read_file
from infra.operator.contents.read_workspace import read_workspace
from infra.operator.output import CommandError, print_answer
from infra.operator.workspaces import existing_workspace

if TYPE_CHECKING:
    from chalicelib.bootstrap.operator_contents import ContentsService


@click.command(epilog="Example: platen export ws_01J8 -o acme.zip")
@click.argument("workspace_id", metavar="WS")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    help="Default: WS.zip",
)
@print_answer
def export(workspace_id: str, output: Path | None) -> dict[str, Any]:
    """Write templates with all versions, datasets and email rules into a file.

    Email connections, storage destinations and webhook endpoints are in it without their secrets.
    Renders, files, keys and members are not.
    """
    service = contents_service()
    workspace = existing_workspace(service.workspaces, workspace_id)
    file = read_workspace(service, workspace)
    path = output or Path(f"{workspace.id}.zip")
    file.write(path)
    return {
        "file": str(path),
        "workspace": workspace.id,
        "templates": len(file.templates),
        "versions": sum(len(each.versions) for each in file.templates),
        "datasets": sum(len(each.datasets) for each in file.templates),
        "email_rules": sum(len(each.email_rules) for each in file.templates),
        "email_connections": len(file.about.email_connections),
        "storage_destinations": len(file.about.storage_destinations),
        "webhook_endpoints": len(file.about.webhook_endpoints),
    }


@click.command("import", epilog="Example: platen import acme.zip --workspace ws_01J8")
@click.argument("path", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--workspace", "workspace_id", metavar="WS", help="Default: that of the export.")
@click.option(
    "--keep-ids", is_flag=True, help="Keep the ids; only where no other workspace has them."
)
@print_answer
def import_file(path: Path, workspace_id: str | None, *, keep_ids: bool) -> dict[str, Any]:
    """Make a workspace what a file of `platen export` holds, and tell what needs a secret.

    What the workspace has besides stays. Done again, it changes nothing. Without --keep-ids another
    workspace than that of the export gets ids of its own.
    """
    file = read_file(path)
    service = contents_service()
    workspace = existing_workspace(service.workspaces, workspace_id or file.about.workspace)
    if keep_ids:
        _check_free(service, file, workspace.id)
    ids = IdMap(file, workspace.id, keeps=keep_ids)
    done = ImportWorkspace(service=service, workspace=workspace, ids=ids)(ids.apply(file))
    return {"data": [each._asdict() for each in done]}


def _check_free(service: "ContentsService", file: WorkspaceFile, own: WorkspaceId) -> None:
    others = [each.id for each in operator().workspaces.all() if each.id != own]
    for each in file.templates:
        for some in batched(others, BATCH_GET_LIMIT, strict=False):
            found = service.templates.find_in_workspaces(some, each.id)
            if found is not None:
                message = f"the workspace {found.workspace_id} has {each.id}: leave --keep-ids out"
                raise CommandError("id_taken", message)
