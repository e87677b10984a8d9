"""Options of `platen pdf`, as they reach the tool."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from infra.operator import run_pdf_tool
from infra.operator.pdf import pdf


def test_zero_is_a_value(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    seen: list[Any] = []

    def record(*given: Any) -> None:
        seen.append(given[-1])
        raise SystemExit

    monkeypatch.setattr(run_pdf_tool, "run_pdf_tool", record)
    source, output = tmp_path / "a.pdf", tmp_path / "b.pdf"
    source.write_bytes(b"%PDF-")
    arguments = ["watermark", str(source), "--text", "X", "--angle", "0", "-o", str(output)]
    CliRunner().invoke(pdf, arguments)

    assert seen[0]["angle"] == 0
