"""Code of docs/clients.md, run in its own language on deliveries."""

import base64
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

from infra.setup.steps import COMMANDS_DIR, JAVA_DIR, WEBHOOK_LIBRARY_DIR
from infra.template import ROOT
from layers.java import compile_java, java_program

PAGE: Final = ROOT / "docs" / "clients.md"
# Blocks whose first line names their file, in PHP the line below its opening tag.
_BLOCK: Final = re.compile(
    r"^```\w+\n(<\?php\n)?(?://|#) (\w+\.\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE
)
_DRIVERS: Final = Path(__file__).parent
_HEADERS: Final = ("webhook-id", "webhook-timestamp", "webhook-signature")


class Delivery(NamedTuple):
    """Delivery as a receiver gets it, and the secret that it checks it with."""

    secret: str
    headers: dict[str, str]
    body: bytes

    def line(self) -> str:
        """Return the delivery as drivers read it; a header that is absent is empty."""
        values = [self.headers.get(name, "") for name in _HEADERS]
        return "\t".join([self.secret, *values, base64.b64encode(self.body).decode()])


def blocks_with_names() -> dict[str, str]:
    """Return the blocks of the page that name their file, by this name."""
    blocks = _BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return {name: tag + code for tag, name, code in blocks}


def accepted(name: str, folder: Path, deliveries: Sequence[Delivery]) -> list[bool]:
    """Run a block of the page in a folder, and return which deliveries it accepts."""
    (folder / name).write_text(blocks_with_names()[name], encoding="utf-8")
    command = _command(name, folder)
    done = subprocess.run(
        command,
        cwd=folder,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
        input="".join(f"{delivery.line()}\n" for delivery in deliveries),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [line == "accepted" for line in done.stdout.splitlines()]


def _command(name: str, folder: Path) -> list[str]:
    """Prepare the driver of a language, and return the command that runs it."""
    stem, _, ending = name.partition(".")
    driver = "Driver.java" if ending == "java" else f"driver.{ending}"
    shutil.copy(_DRIVERS / driver, folder / driver)
    if ending == "go":
        return _go_command(name, folder)
    if ending == "php":
        return [str(COMMANDS_DIR / "php"), driver, name]
    if ending == "py":
        return [sys.executable, driver, stem]
    if ending == "mjs":
        (folder / "node_modules").symlink_to(WEBHOOK_LIBRARY_DIR / "node_modules")
        return [str(COMMANDS_DIR / "node"), driver, name]
    compile_java(JAVA_DIR, 8, [folder / name, folder / driver], folder, [])
    return [java_program(JAVA_DIR), "-cp", str(folder), "Driver"]


def _go_command(name: str, folder: Path) -> list[str]:
    """Build the driver with the block as its package, and return the program."""
    (folder / "webhooks").mkdir()
    (folder / name).rename(folder / "webhooks" / name)
    (folder / "go.mod").write_text("module driver\n", encoding="utf-8")
    # Nothing is fetched: the code has no dependencies.
    build = [str(COMMANDS_DIR / "go"), "build", "-o", "driver", "."]
    subprocess.run(build, cwd=folder, env=os.environ | {"GOPROXY": "off"}, check=True)
    return [str(folder / "driver")]
