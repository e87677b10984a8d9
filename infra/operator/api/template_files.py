"""`platen template push`, `pull` and `watch`: a template as files in a folder, such as in git."""

import json
import time
from pathlib import Path
from typing import Final

import click

from chalicelib.core.text import terminal_text
from infra.operator.api.push_template import publish_template, push_template
from infra.operator.api.remote_template import read_remote
from infra.operator.api.render_request import warning_lines
from infra.operator.api.service_api import connect, service_options
from infra.operator.api.template_folder import has_layout_files, read_folder, write_folder
from infra.operator.api.template_lock import LockEntry, read_lock, write_lock
from infra.operator.api.watch_template import Preview, previews
from infra.operator.output import CommandError, print_answer

_FOLDER: Final = click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
_EXISTING_FOLDER: Final = click.argument(
    "folder", type=click.Path(exists=True, file_okay=False, path_type=Path)
)
_ID: Final = click.option("--id", "template_id", metavar="TPL", help="Default: that of the lock.")


@click.command(epilog="Example: platen template push templates/invoice --publish")
@_EXISTING_FOLDER
@_ID
@click.option("--publish", is_flag=True, help="Publish the draft, unless it is live already.")
@click.option("--note", metavar="TEXT", help="Shown with the published version.")
@click.option("--force", is_flag=True, help="Replace a draft that was changed elsewhere.")
@service_options
@print_answer
def push(
    folder: Path,
    template_id: str | None,
    note: str | None,
    *,
    publish: bool,
    force: bool,
    **service: str | None,
) -> dict[str, object]:
    """Make the draft, name and datasets of a template what FOLDER holds; without one make it.

    template.html, head.html, style.css, header.html, footer.html or scene.json; options.json,
    schema.json; data.json or datasets/NAME.json; partials/NAME; template.json with name and
    description. template.lock.json keeps the id and the revision: keep it in git.
    """
    if note is not None and not publish:
        raise click.UsageError("--note goes with --publish")
    with connect(**service) as api:
        pushed = push_template(api, folder, template_id=template_id, force=force)
        return (publish_template(api, pushed, note) if publish else pushed).row()


@click.command(epilog="Example: platen template pull templates/invoice --id tpl_01J8")
@_FOLDER
@_ID
@click.option("--force", is_flag=True, help="Replace files that were not pushed.")
@service_options
@print_answer
def pull(
    folder: Path, template_id: str | None, *, force: bool, **service: str | None
) -> dict[str, object]:
    """Write the draft, name and datasets of a template into FOLDER."""
    with connect(**service) as api:
        lock = read_lock(folder, api.base_url)
        if template_id is None and lock is None:
            raise click.UsageError(f"{folder} knows no template of {api.base_url}: name --id")
        if not force:
            _check_unchanged(folder, lock)
        remote = read_remote(api, template_id or (lock.id if lock else ""))
        folder.mkdir(parents=True, exist_ok=True)
        changes = write_folder(folder, remote.files)
        digest = read_folder(folder).digest()
        write_lock(folder, api.base_url, LockEntry(remote.id, remote.revision, digest))
    return {
        "id": remote.id,
        "name": remote.files.name,
        "status": "changed" if changes else "nothing has changed",
        "changes": changes,
        "revision": remote.revision,
    }


def _check_unchanged(folder: Path, lock: LockEntry | None) -> None:
    """Raise CommandError for files whose content no service has."""
    if not has_layout_files(folder):
        return
    if lock is None or read_folder(folder).digest() != lock.digest:
        message = f"{folder} has files that were not pushed: push them, or replace them by --force"
        raise CommandError("folder_changed", message)


@click.command(epilog="Example: platen template watch templates/invoice --out invoice.pdf")
@_EXISTING_FOLDER
@click.option(
    "--out",
    type=click.Path(dir_okay=False, writable=True, path_type=Path),
    default=Path("out.pdf"),
    show_default=True,
    help="The preview; its suffix says the format.",
)
@click.option("--force", is_flag=True, help="Replace a draft that was changed elsewhere.")
@service_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line.")
def watch(folder: Path, out: Path, *, force: bool, as_json: bool, **service: str | None) -> None:
    """Push FOLDER at each save and render its draft with the default dataset, until Ctrl-C.

    It takes a test key. Errors of the template are shown with file and line.
    """
    if not out.parent.is_dir():
        raise click.UsageError(f"--out: there is no folder {out.parent}")
    try:
        with connect(**service) as api:
            for preview in previews(api, folder, out, force=force):
                _print_preview(preview, as_json=as_json)
    except KeyboardInterrupt:
        # The usual end of this command.
        return


def _print_preview(preview: Preview | CommandError, *, as_json: bool) -> None:
    if isinstance(preview, CommandError):
        if as_json:
            click.echo(json.dumps({"object": "error", **preview.as_json()}))
        click.echo(f"{_clock()}  {preview.format_message()}", err=True)
        return
    pushed, render, files = preview
    warnings = render["warnings"]
    if as_json:
        shown = {"object": "preview", **pushed.row(), "files": files, "warnings": warnings}
        click.echo(json.dumps(shown))
        return
    for line in warning_lines(warnings):
        click.echo(terminal_text(f"{_clock()}  {line}"), err=True)
    names = ", ".join(str(file["path"]) for file in files)
    pages = files[0]["pages"]
    size = f", {pages} page{'' if pages == 1 else 's'}" if pages else ""
    click.echo(terminal_text(f"{_clock()}  revision {pushed.revision}: {names}{size}"))


def _clock() -> str:
    return time.strftime("%H:%M:%S")
