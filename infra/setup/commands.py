"""Folder of the commands that the set-up runs: links to the machine's, or to fetched ones."""

import os
import shutil
from pathlib import Path
from typing import Final

# Not in the search path of every user.
_SYSTEM_FOLDERS: Final = ("/usr/sbin", "/usr/local/sbin", "/sbin")


def machine_command(name: str, commands: Path) -> Path | None:
    """Return the path of a command that the machine has outside the folder `commands`."""
    folders = [*os.environ.get("PATH", os.defpath).split(":"), *_SYSTEM_FOLDERS]
    path = ":".join(folder for folder in folders if folder != str(commands))
    found = shutil.which(name, path=path)
    return Path(found) if found else None


def link_command(link: Path, command: Path) -> None:
    """Make `link` a link to `command`, in place of an earlier file."""
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(command)
