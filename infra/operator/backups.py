"""`platen backup` and `platen restore`: the data folder of a server, kept elsewhere."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from infra.operator.output import CommandError, print_answer

if TYPE_CHECKING:
    from infra.serve.backup.manifest import Manifest
    from infra.serve.data_folder import DataFolder

_DATA = click.option(
    "--data",
    type=click.Path(path_type=Path),
    envvar="PLATEN_DATA",
    help="The data folder; also PLATEN_DATA.",
)
_ENDPOINT_URL = click.option(
    "--endpoint-url", metavar="URL", help="Of s3:// elsewhere than at AWS; also AWS_ENDPOINT_URL."
)


@click.command(epilog="Example: platen backup /backups/monday --data /srv/platen")
@click.argument("place", metavar="DIR|S3_URL")
@_DATA
@_ENDPOINT_URL
@print_answer
def backup(place: str, data: Path | None, endpoint_url: str | None) -> dict[str, Any]:
    """Back up rows, files and keys of one moment into an empty place, and read all of it back.

    The server may run. The backup has the keys that open sealed secrets: keep it as safe as the
    data folder.
    """
    from infra.serve.backup.make import back_up
    from infra.serve.backup.places import place_of

    with _refusals(place):
        return _row(place, back_up(_data_folder(data), place_of(place, endpoint_url)))


@click.command(epilog="Example: platen restore /backups/monday --data /srv/platen")
@click.argument("place", metavar="DIR|S3_URL")
@_DATA
@_ENDPOINT_URL
@click.option("--check", "only_checks", is_flag=True, help="Read all of it, and restore nothing.")
@print_answer
def restore(
    place: str, data: Path | None, endpoint_url: str | None, *, only_checks: bool
) -> dict[str, Any]:
    """Restore a backup into an empty folder, which can be served then."""
    from infra.serve.backup.check import check_backup
    from infra.serve.backup.places import place_of
    from infra.serve.backup.restore import restore_backup

    with _refusals(place):
        found = place_of(place, endpoint_url)
        if only_checks:
            return _row(place, check_backup(found))
        folder = _data_folder(data)
        return _row(place, restore_backup(found, folder)) | {"data": str(folder.path)}


def _data_folder(data: Path | None) -> "DataFolder":
    from infra.serve.data_folder import DataFolder

    named = data or click.get_current_context().find_root().params.get("data")
    if not named:
        raise click.UsageError("name the data folder: --data, or PLATEN_DATA")
    return DataFolder(Path(named))


@contextmanager
def _refusals(place: str) -> Iterator[None]:
    from infra.local.objects.moment import MomentLostError, MomentTakenError
    from infra.serve.backup.manifest import UnusableBackupError
    from infra.serve.data_folder import UnusableFolderError

    try:
        yield
    except UnusableBackupError as fault:
        raise CommandError("backup_unusable", f"{place}: {fault}") from fault
    except UnusableFolderError as fault:
        raise CommandError("data_unusable", str(fault)) from fault
    except MomentTakenError as fault:
        raise CommandError("backup_running", "another backup of this folder runs") from fault
    except MomentLostError as fault:
        message = "the disk of the data folder is full: the service goes on, the backup ended"
        raise CommandError("backup_failed", message) from fault
    except FileExistsError as fault:
        message = f"{place} is not empty: name a new place for each backup"
        raise CommandError("place_used", message) from fault
    except OSError as fault:
        raise CommandError("backup_failed", f"{place}: {fault}") from fault


def _row(place: str, manifest: "Manifest") -> dict[str, Any]:
    return {
        "place": place,
        "moment": manifest.moment,
        "release": manifest.release,
        "files": manifest.files,
        "bytes": manifest.size,
    }
