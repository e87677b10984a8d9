"""Thumbnail of a template: its default dataset's first page, drawn by the PDF tool `to-images`."""

import logging
from base64 import b64encode
from typing import Final

import msgspec

from chalicelib.adapters.aws.functions import FunctionBusy
from chalicelib.adapters.aws.remote_engine import EngineCallContext, EngineLost, RemoteEngine
from chalicelib.contract.options.pdf_tools import PdfSource, ToImagesOptions
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.job import PdfToolJob
from chalicelib.engine.remote.first_page import FirstPage

log = logging.getLogger(__name__)

_MAX_BYTES: Final = 200_000


class DrawThumbnail(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Draws thumbnails. Publishing does not depend on them, so no failure stops it."""

    pdf_tools: RemoteEngine

    def __call__(self, page: FirstPage, context: EngineCallContext) -> bytes | None:
        """Return the thumbnail as WebP, or None if it cannot be drawn now."""
        picture = page.content if page.format == "webp" else self._draw(page, context)
        # The engine is not trusted to have sent a picture (decision 34).
        if picture is None or len(picture) > _MAX_BYTES or not _is_webp(picture):
            return None
        return picture

    def _draw(self, page: FirstPage, context: EngineCallContext) -> bytes | None:
        options = ToImagesOptions(format="webp", dpi=page.dpi, pages="1")
        source = PdfSource(content=b64encode(page.content).decode())
        job = PdfToolJob(options=options, sources=(source,), max_pages=1)
        try:
            files = self.pdf_tools.run(job, context).files
        except (FunctionBusy, EngineLost, RenderFailure):
            log.warning("no thumbnail could be drawn", exc_info=True)
            return None
        return files[0].content if files else None


def _is_webp(content: bytes) -> bool:
    return content[:4] == b"RIFF" and content[8:12] == b"WEBP"
