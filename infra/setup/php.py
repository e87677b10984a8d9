"""PHP with its extension curl for tests: the machine's, or else its distribution's, unpacked.

`python -m infra.setup.php COMMANDS_DIR`
"""

import sys
from pathlib import Path
from typing import Final

from infra.setup.commands import link_command, machine_command
from infra.setup.debian import unpack_packages, write_script
from layers.npm import main
from layers.running import LayerError, run

_PACKAGES: Final = ("php-cli", "php-curl")
_MISSING: Final = (
    "missing: PHP 8 with the extension curl, which tests of the quickstart need -- install php-cli"
    " and php-curl with the package manager of this machine"
)
_CHECK: Final = "exit(PHP_VERSION_ID >= 80000 && extension_loaded('curl') ? 0 : 1);"


def build(commands: Path) -> None:
    """Create the command `php` in a folder; needs no rights of root. Raises LayerError."""
    own = machine_command("php", commands)
    if own and _is_fit(own):
        link_command(commands / "php", own)
        return
    folder = commands.parent / "php"
    unpack_packages(folder, _PACKAGES, commands=commands, missing=_MISSING)
    script = folder / "php.sh"
    settings = folder / "php.ini"
    try:
        program = next((folder / "usr" / "bin").glob("php8*"))
        extension = next((folder / "usr" / "lib" / "php").glob("*/curl.so"))
    except StopIteration as error:
        raise LayerError(_MISSING) from error
    settings.write_text(f'extension_dir="{extension.parent}"\nextension=curl\n', encoding="utf-8")
    # Variables and no options, so that a PHP which PHP starts has them too.
    variables = {"PHPRC": str(settings), "PHP_INI_SCAN_DIR": ""}
    write_script(script, folder, [str(program)], variables)
    link_command(commands / "php", script)


def _is_fit(php: Path) -> bool:
    try:
        run([str(php), "-r", _CHECK])
    except (LayerError, OSError):
        return False
    return True


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
