"""PDF tools: a module for each, whose function `run` is imported only where the tool runs.

The routes are made from TOOLS. Tools know no tenant and no network.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Final, NamedTuple

from chalicelib.contract.options import pdf_tools as options

if TYPE_CHECKING:
    from chalicelib.engine.pdf_tools.tool import RunTool


class PdfTool(NamedTuple):
    """Tool of the registry; `summary` describes it in the reference."""

    options: type[options.ToolOptions]
    summary: str

    @property
    def name(self) -> str:
        """Return the name in the route."""
        return str(self.options.__struct_config__.tag)

    def load(self) -> "RunTool":
        """Import the tool's module and return its function `run`."""
        run: RunTool = import_module(f"{__name__}.{self.name.replace('-', '_')}").run
        return run


TOOLS: Final[tuple[PdfTool, ...]] = (
    PdfTool(options.MergeOptions, "Merge PDFs"),
    PdfTool(options.SplitOptions, "Split a PDF"),
    PdfTool(options.ExtractPagesOptions, "Extract pages of a PDF"),
    PdfTool(options.DeletePagesOptions, "Delete pages of a PDF"),
    PdfTool(options.RotateOptions, "Rotate pages of a PDF"),
    PdfTool(options.ReorderOptions, "Reorder the pages of a PDF"),
    PdfTool(options.WatermarkOptions, "Draw a watermark on a PDF"),
    PdfTool(options.StampOptions, "Draw a stamp on a PDF"),
    PdfTool(options.ProtectOptions, "Protect a PDF"),
    PdfTool(options.UnlockOptions, "Remove the protection of a PDF"),
    PdfTool(options.MetadataOptions, "Change or read the metadata of a PDF"),
    PdfTool(options.AttachOptions, "Attach files to a PDF"),
    PdfTool(options.FlattenOptions, "Flatten forms and annotations of a PDF"),
    PdfTool(options.FillFormOptions, "Fill in the form of a PDF"),
    PdfTool(options.CompressOptions, "Compress a PDF"),
    PdfTool(options.ToImagesOptions, "Make pictures of the pages of a PDF"),
    PdfTool(options.ToTextOptions, "Extract the text of a PDF"),
    PdfTool(options.PdfaOptions, "Convert a PDF to PDF/A"),
    PdfTool(options.ValidateOptions, "Validate a PDF"),
)

# Of the service itself: no route leads to it (decision 88).
COMPARISON: Final = PdfTool(options.CompareOptions, "Compare two PDFs")


def tool_by_name(name: str) -> PdfTool:
    """Return the tool of this name; raises StopIteration for another name."""
    return next(tool for tool in (*TOOLS, COMPARISON) if tool.name == name)
