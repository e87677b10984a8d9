"""Pages about switching: the code of the other tools in them can be parsed."""

import re
import subprocess
from pathlib import Path
from typing import Final

import pytest

from infra.setup.steps import COMMANDS_DIR
from infra.template import ROOT

pytestmark = pytest.mark.integration

BLOCK: Final = re.compile(r"^```js\n(.*?)^```$", re.DOTALL | re.MULTILINE)
BLOCKS: Final = [
    pytest.param(block, id=f"{path.stem}-{number}")
    for path in sorted((ROOT / "docs" / "migrate").glob("*.md"))
    for number, block in enumerate(BLOCK.findall(path.read_text(encoding="utf-8")))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_javascript_of_a_page_can_be_parsed(block: str, tmp_path: Path) -> None:
    source = tmp_path / "block.mjs"
    source.write_text(block, encoding="utf-8")

    done = subprocess.run(
        [COMMANDS_DIR / "node", "--check", source], capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stderr
