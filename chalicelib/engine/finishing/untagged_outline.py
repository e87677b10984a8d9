"""Outline without tags: the browser makes an outline of the tags, which are removed afterwards."""

from typing import TYPE_CHECKING, Final

from chalicelib.engine.finishing.finisher import PdfFinisher
from chalicelib.engine.pdf.tagging.remove_tags import remove_tags

if TYPE_CHECKING:
    from chalicelib.engine.finishing.finisher import FinishingContext


def _applies(finishing: "FinishingContext") -> bool:
    return finishing.output.pdf.outline and not finishing.output.pdf.tagged


UNTAGGED_OUTLINE: Final = PdfFinisher(_applies, lambda document, _finishing: remove_tags(document))
