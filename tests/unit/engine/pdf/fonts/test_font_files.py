"""Bundled fonts of the PDF tools: a folder without them is told before any document is blamed."""

from pathlib import Path

import pytest

from chalicelib.engine.pdf.fonts.font_files import FontsMissingError
from chalicelib.engine.pdf_tools.run.tool_engine import tool_worker


def test_a_worker_without_fonts_is_refused_by_the_command_that_installs_them(
    tmp_path: Path,
) -> None:
    with pytest.raises(FontsMissingError, match=f"{tmp_path} holds no fonts: .*make setup"):
        tool_worker(str(tmp_path))
