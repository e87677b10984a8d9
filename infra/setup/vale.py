"""Build of Vale, the linter of prose, without its parsers of source code (decision 75).

`python -m infra.setup.vale TARGET_DIR`
"""

import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Final

from infra.setup.go_programs import GoProgram, build_program, module_folder
from layers.npm import main

VALE: Final = GoProgram(
    "vale",
    "github.com/vale-cli/vale/v3",
    "v3.22.0",
    "h1:iktvmrgY2LyGT22+tvRrryzZ/bGfrMpMwoiDxEMbM5E=",
    "./cmd/vale",
)
# The parsers are written in C, and a machine may have no compiler of C.
_PARSERS: Final = "internal/lint/code"
_WITHOUT_PARSERS: Final = """\
package code

import (
	"errors"

	"github.com/vale-cli/vale/v3/internal/core"
)

type Language struct {
	Padding func(string) int
	Queries []core.Scope
}

type Comment struct {
	Text, Source, Scope string
	Line, Offset        int
}

var errLeftOut = errors.New("this build of Vale reads no source code")

func (Comment) StripAt(int) (int, bool) { return 0, false }

func GetLanguageFromExt(string) (*Language, error) { return nil, errLeftOut }

func GetComments([]byte, *Language) ([]Comment, error) { return nil, errLeftOut }
"""


def build(target: Path) -> None:
    """Create the executable `target/vale`; idempotent."""
    os.environ["CGO_ENABLED"] = "0"
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "vale")
        # Files of Go's cache are read-only, and their modes would come along.
        shutil.copytree(module_folder(VALE), folder, copy_function=shutil.copyfile)
        for path in (folder, *folder.rglob("*")):
            if path.is_dir():
                path.chmod(0o755)
        parsers = folder / _PARSERS
        for path in parsers.glob("*.go"):
            path.unlink()
        (parsers / "lang.go").write_text(_WITHOUT_PARSERS, encoding="utf-8")
        build_program(VALE, folder, target)


if __name__ == "__main__":
    sys.exit(main(build, sys.argv[1:]))
