"""What the glyphs of fonts are as text (ISO 32000-1, 9.10.3)."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from chalicelib.engine.finishing.artifacts import forms_within

if TYPE_CHECKING:
    import pikepdf

# The browser gives parts of letters, such as the dots of Arabic ones, no character; what letters
# they make up stands beside them as ActualText. U+0000 is none, a blank without width is.
_NO_CHARACTER: Final = re.compile(rb"(?m)^(<[0-9A-F]+> )<0000>$")
_WITHOUT_WIDTH: Final = rb"\g<1><200B>"


def repair_fonts(document: "pikepdf.Pdf") -> None:
    """Give each glyph a character that has none."""
    for font in _fonts(document):
        if "/ToUnicode" in font:
            old = font.ToUnicode.read_bytes()
            new = _NO_CHARACTER.sub(_WITHOUT_WIDTH, old)
            if new != old:
                font.ToUnicode.write(new)


def _fonts(document: "pikepdf.Pdf") -> Iterator[Any]:
    seen: set[tuple[int, int]] = set()
    for page in document.pages:
        resources: Any = page.get("/Resources", {})
        for each in (resources, *(form.get("/Resources", {}) for form in forms_within(resources))):
            for font in each.get("/Font", {}).values():
                if font.objgen not in seen:
                    seen.add(font.objgen)
                    yield font
