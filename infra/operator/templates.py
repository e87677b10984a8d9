"""`platen template`."""

from collections.abc import Callable
from typing import Any, Final

import click

from chalicelib.features.templates.model import Template
from chalicelib.features.templates.present import shown_template
from chalicelib.features.templates.repository import there
from infra.operator.connection import operator
from infra.operator.output import answers

_TEMPLATE: Final = click.argument("template_id", metavar="TPL")
_WORKSPACE: Final = click.option(
    "--workspace", metavar="WS", help="Its workspace; default: it is looked for."
)


@click.group()
def template() -> None:
    """Templates, as the API changes them."""


@template.command()
@_TEMPLATE
@_WORKSPACE
@answers
def lock(template_id: str, workspace: Any) -> dict[str, Any]:
    """Lock a template: its draft cannot be replaced, nor can it be deleted."""
    return _set(template_id, workspace, locked=True)


@template.command()
@_TEMPLATE
@_WORKSPACE
@answers
def unlock(template_id: str, workspace: Any) -> dict[str, Any]:
    """Unlock a template."""
    return _set(template_id, workspace, locked=False)


@template.command()
@_TEMPLATE
@_WORKSPACE
@answers
def restore(template_id: str, workspace: Any) -> dict[str, Any]:
    """Restore a template from the trash."""
    trash = operator().trash_template
    return _changed(
        template_id, workspace, lambda found: trash.restore(found.workspace_id, found.id)
    )


def _set(template_id: str, workspace: Any, **fields: Any) -> dict[str, Any]:
    change = operator().change_template
    return _changed(template_id, workspace, lambda found: change(there(found, template_id), fields))


def _changed(
    template_id: str, workspace: Any, change: Callable[[Template], Template]
) -> dict[str, Any]:
    found = change(operator().find_template(template_id, workspace))
    return {"workspace": found.workspace_id} | shown_template(found)
