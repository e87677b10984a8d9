"""Conversions of odd documents in the confined process: the same bytes as elsewhere."""

from typing import Final

import msgspec
import pytest

from chalicelib.contract.options.pdf_tools import (
    CompressOptions,
    PdfaOptions,
    ToImagesOptions,
    ToolOptions,
    ToTextOptions,
    ValidateOptions,
)
from chalicelib.engine.pdf.document.source import UnopenedPdf
from chalicelib.engine.pdf_tools.run.exchange import ToolAnswer, ToolRequest
from chalicelib.engine.pdf_tools.tool import ToolInput
from chalicelib.engine.sandbox.sandboxed_worker import SandboxedWorker
from tests.builders.pdfs import unarchived
from tests.builders.pdfs.tool_call import call_tool
from tests.builders.pdfs.unarchived import document
from tests.builders.waiting import generous_deadline

pytestmark = pytest.mark.integration

# Of many kinds, so that all code paths that load something lazily are there.
ODD: Final = document(
    *(unarchived.add_form, unarchived.add_annotations, unarchived.add_pictures),
    *(unarchived.add_layers, unarchived.add_metadata, unarchived.add_scripts),
    *(unarchived.add_attachments, unarchived.add_media, unarchived.composite_font),
)
INKS: Final = document(unarchived.add_print_intent)


@pytest.mark.parametrize("test", [False, True])
@pytest.mark.parametrize(
    "options",
    [
        *(ToImagesOptions("png"), ToImagesOptions("jpeg"), ToImagesOptions("webp")),
        *(ToTextOptions(), CompressOptions(), PdfaOptions("3u"), ValidateOptions()),
    ],
    ids=str,
)
@pytest.mark.parametrize("content", [ODD, INKS], ids=["odd", "inks"])
def test_confined_tool_does_what_it_does_elsewhere(
    worker: SandboxedWorker, content: bytes, options: ToolOptions, *, test: bool
) -> None:
    sources = [UnopenedPdf(content, None, "/source")]
    request, contents = ToolRequest.of(ToolInput(options, sources, test=test))

    answer = worker.call(msgspec.to_builtins(request), generous_deadline(), contents)

    confined = msgspec.convert(answer, ToolAnswer)
    assert (confined.fault, confined.failure) == (None, None)
    assert confined.output() == call_tool(options, content, test=test).output
