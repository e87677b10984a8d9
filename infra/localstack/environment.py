"""Folders and variables of one Lambda execution environment."""

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import infra

# The files of the worker. Nothing else of the checkout may be importable (decision 12).
_RUNTIME_FILES: Final = (
    "local/die_with_parent.py",
    "local/runner/frames.py",
    "local/runner/worker.py",
)
# Defaults of the settings. They are set explicitly, so that they can be relocated with /opt.
_DEFAULT_FOLDERS: Final = {
    "PLATEN_CHROMIUM_DIR": "/opt/chromium",
    "PLATEN_FONTS_DIR": "/opt/fonts",
    "PLATEN_VALIDATORS_DIR": "/opt/validators",
    "PLATEN_PAGES_DIR": "/opt/pages",
    "PLATEN_GUIDES_DIR": "/opt/guides",
    "PLATEN_CONSOLE_DIR": "/opt/console",
}
_OPT: Final = "/opt/"


@dataclass(frozen=True, slots=True)
class LambdaLayout:
    """Folders of one environment; `code` (/var/task) is shared by all those of a version."""

    root: Path
    code: Path

    @property
    def opt(self) -> Path:
        """Return the folder of all layers (/opt)."""
        return self.root / "opt"

    @property
    def runtime(self) -> Path:
        """Return the folder of the worker (/var/runtime)."""
        return self.root / "runtime"

    @property
    def tmp(self) -> Path:
        """Return the folder that the function may write to (/tmp)."""
        return self.root / "tmp"

    def make(self, layers: Sequence[Path]) -> None:
        """Create the folders; a later layer overwrites files of an earlier one, as on Lambda."""
        self.opt.mkdir(parents=True)
        for layer in layers:
            shutil.copytree(layer, self.opt, copy_function=_hard_link, dirs_exist_ok=True)
        package = Path(infra.__file__).parent
        for name in _RUNTIME_FILES:
            target = self.runtime / "infra" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(package / name, target)
        self.renew_tmp()

    def renew_tmp(self) -> None:
        """Create the folder that the function may write to, without any earlier content."""
        shutil.rmtree(self.tmp, ignore_errors=True)
        self.tmp.mkdir()
        # If this process is root, the browser runs as another user, which writes here too.
        self.tmp.chmod(0o1777)

    def variables(self, environment: Mapping[str, object]) -> dict[str, str]:
        """Return the variables of a process: those of LocalStack, with relocated folders."""
        given = {**_DEFAULT_FOLDERS, **{name: str(value) for name, value in environment.items()}}
        return {
            "LANG": "en_US.UTF-8",
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            **{name: self._relocate(value) for name, value in given.items()},
            "HOME": str(self.tmp),
            "LAMBDA_RUNTIME_DIR": str(self.runtime),
            "LAMBDA_TASK_ROOT": str(self.code),
            "PYTHONPATH": os.pathsep.join(map(str, self._import_path())),
            "PYTHONUNBUFFERED": "1",
            "TMPDIR": str(self.tmp),
        }

    def remove(self) -> None:
        """Remove the folders, except the shared code."""
        shutil.rmtree(self.root, ignore_errors=True)

    def _import_path(self) -> tuple[Path, ...]:
        python = self.opt / "python"
        return self.code, python / "lib" / "python3.13" / "site-packages", python, self.runtime

    def _relocate(self, value: str) -> str:
        return f"{self.opt}/{value.removeprefix(_OPT)}" if value.startswith(_OPT) else value


def _hard_link(source: str, target: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(target)  # noqa: PTH108 -- shutil passes str
    os.link(source, target)
