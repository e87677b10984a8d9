"""`platen template`: commands for templates."""

from collections.abc import Callable
from typing import Any, Final

import click

from chalicelib.features.templates.model import Template
from chalicelib.features.templates.present import template_json
from chalicelib.features.templates.repository import require_template
from infra.operator.connection import operator
from infra.operator.output import print_answer

_TEMPLATE: Final = click.argument("template_id", metavar="TPL")
_WORKSPACE: Final = click.option(
    "--workspace", metavar="WS", help="Its workspace; default: it is looked for."
)


@click.command(epilog="Example: platen template lock tpl_01J8")
@_TEMPLATE
@_WORKSPACE
@print_answer
def lock(template_id: str, workspace: Any) -> dict[str, Any]:
    """Lock a template: its draft cannot be replaced, nor can it be deleted."""
    return _set_fields(template_id, workspace, locked=True)


@click.command(epilog="Example: platen template unlock tpl_01J8")
@_TEMPLATE
@_WORKSPACE
@print_answer
def unlock(template_id: str, workspace: Any) -> dict[str, Any]:
    """Unlock a template."""
    return _set_fields(template_id, workspace, locked=False)


@click.command(epilog="Example: platen template restore tpl_01J8")
@_TEMPLATE
@_WORKSPACE
@print_answer
def restore(template_id: str, workspace: Any) -> dict[str, Any]:
    """Restore a template from the trash."""
    trash = operator().trash_template
    return _change_template(
        template_id, workspace, lambda found: trash.restore(found.workspace_id, found.id)
    )


def _set_fields(template_id: str, workspace: Any, **fields: Any) -> dict[str, Any]:
    change = operator().change_template
    return _change_template(
        template_id, workspace, lambda found: change(require_template(found, template_id), fields)
    )


def _change_template(
    template_id: str, workspace: Any, change: Callable[[Template], Template]
) -> dict[str, Any]:
    changed = change(operator().find_template(template_id, workspace))
    return {"workspace": changed.workspace_id} | template_json(changed)
