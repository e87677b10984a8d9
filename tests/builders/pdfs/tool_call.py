"""Call of a PDF tool in the process of the test."""

from functools import cache
from pathlib import Path
from typing import NamedTuple

from chalicelib.contract.options.pdf_tools import ToolOptions
from chalicelib.engine.context import RenderedFile, RenderWarning
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools import tool_by_name
from chalicelib.engine.pdf_tools.tool import ToolInput, ToolOutput

POINTER = "/input"


class ToolCall(NamedTuple):
    """What a tool returned, and its warnings."""

    output: ToolOutput
    warnings: list[RenderWarning]

    @property
    def file(self) -> RenderedFile:
        (file,) = self.output.files
        return file


@cache
def bundled_fonts() -> dict[str, bytes]:
    folder = Path(__file__).parents[3] / ".platen" / "fonts" / "ttf"
    assert folder.is_dir(), f"{folder} is missing; run: make setup"
    return {path.name: path.read_bytes() for path in folder.glob("*.ttf")}


def call_tool(
    options: ToolOptions,
    content: bytes,
    *,
    password: str | None = None,
    test: bool = False,
    max_pages: int = 100_000,
) -> ToolCall:
    tool = tool_by_name(options.tool)
    tool_input = ToolInput(
        options,
        [UnopenedPdf(content, password, POINTER)],
        fonts=bundled_fonts(),
        test=test,
        max_pages=max_pages,
    )
    return ToolCall(tool.load()(tool_input), tool_input.warnings)
