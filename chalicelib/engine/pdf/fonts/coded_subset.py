"""Subsets of TrueType fonts whose codes and widths a document decides."""

import struct
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from chalicelib.engine.pdf.fonts.true_type import (
    HINTING,
    TrueTypeFont,
    components,
    font_file,
    replace_number,
)

# Flag of a component that instructions follow (OpenType, glyf).
_INSTRUCTIONS: Final = 0x0100
# Widths have two bytes.
_MAX_METRIC: Final = 0xFFFF
_SYMBOL_AREA: Final = 0xF000
# Post table without names of glyphs (version 3).
_POST: Final = struct.pack(">I28x", 0x0003_0000)


class SubsetGlyph(NamedTuple):
    """Glyph of a font, and the width it gets, in thousandths of the font size."""

    font: TrueTypeFont
    glyph: int
    width: float


def coded_subset(
    font: TrueTypeFont, glyphs: Sequence[SubsetGlyph], codes: Mapping[int, int]
) -> bytes:
    """Return a font with these glyphs, numbered from 1 in their order.

    Glyphs of other fonts must have the same units and come without their instructions, which call
    functions of their own font. `codes` give the number of the glyph of each code; a composite font
    has none.
    """
    outlines, metrics = _Outlines(font), []
    for each in (SubsetGlyph(font, 0, font.advance(0)), *glyphs):
        outlines.add(each.font, each.glyph)
        width = round(each.width * font.units_per_em / 1000)
        metrics.append(min(max(width, 0), _MAX_METRIC))
    outlines.add_components()
    count = len(outlines.contents)
    metrics += [0] * (count - len(metrics))
    bearings = [_bearing(content) for content in outlines.contents]
    pairs = zip(metrics, bearings, strict=True)
    glyf, loca = outlines.tables()
    tables = {tag: bytes(table) for tag, table in font.tables.items() if tag in HINTING}
    tables |= {
        # Offsets of outlines are of the long kind.
        "head": replace_number(font.tables["head"], 50, 1),
        "hhea": replace_number(font.tables["hhea"], 34, count),
        "maxp": replace_number(font.tables["maxp"], 4, count),
        "hmtx": b"".join(struct.pack(">Hh", *pair) for pair in pairs),
        "glyf": glyf,
        "loca": loca,
        "post": _POST,
    }
    if codes:
        tables["cmap"] = _write_cmap(codes)
    return font_file(tables)


def _bearing(outline: bytes) -> int:
    """Return the left side bearing: where the outline begins, in all bundled fonts."""
    if not outline:
        return 0
    left: int = struct.unpack_from(">h", outline, 2)[0]
    return left


class _Outlines:
    """Outlines of a subset; those that composite glyphs are made of come behind the others."""

    def __init__(self, font: TrueTypeFont) -> None:
        self._font = font
        self.contents: list[bytes] = []
        self._fonts: list[TrueTypeFont] = []
        self._numbers: dict[tuple[int, int], int] = {}

    def add(self, font: TrueTypeFont, glyph: int) -> None:
        self._numbers.setdefault((id(font), glyph), len(self.contents))
        outline = bytes(font.outline(glyph))
        self.contents.append(outline if font is self._font else _without_instructions(outline))
        self._fonts.append(font)

    def add_components(self) -> None:
        number = 0
        while number < len(self.contents):
            outline = bytearray(self.contents[number])
            for at, glyph in components(outline):
                key = (id(self._fonts[number]), glyph)
                if key not in self._numbers:
                    self.add(self._fonts[number], glyph)
                struct.pack_into(">H", outline, at, self._numbers[key])
            self.contents[number] = bytes(outline)
            number += 1

    def tables(self) -> tuple[bytes, bytes]:
        """Return the tables `glyf` and `loca`."""
        padded = [content + bytes(-len(content) % 4) for content in self.contents]
        offsets = [0]
        for content in padded:
            offsets.append(offsets[-1] + len(content))
        return b"".join(padded), struct.pack(f">{len(offsets)}I", *offsets)


def _without_instructions(outline: bytes) -> bytes:
    if not outline:
        return outline
    contours = struct.unpack_from(">h", outline)[0]
    if contours >= 0:
        at = 10 + 2 * contours
        size = struct.unpack_from(">H", outline, at)[0]
        return outline[:at] + bytes(2) + outline[at + 2 + size :]
    changed = bytearray(outline)
    for at, _ in components(changed):
        flags = struct.unpack_from(">H", outline, at - 2)[0]
        struct.pack_into(">H", changed, at - 2, flags & ~_INSTRUCTIONS)
    return bytes(changed)


def _write_cmap(codes: Mapping[int, int]) -> bytes:
    """Return a cmap of a symbolic font: each code, and the same in the area of symbols."""
    first, last = min(codes), max(codes)
    numbers = [codes.get(code, 0) for code in range(first, last + 1)]
    # Format 6 for (1, 0); format 4 with one segment for (3, 0), which PDF/A wants (6.2.11.6).
    trimmed = struct.pack(
        f">5H{len(numbers)}H", 6, 10 + 2 * len(numbers), 0, first, len(numbers), *numbers
    )
    ends, starts = (_SYMBOL_AREA + last, 0xFFFF), (_SYMBOL_AREA + first, 0xFFFF)
    body = struct.pack(">4H", 4, 4, 1, 0)
    body += struct.pack(">2HH2H", *ends, 0, *starts) + struct.pack(">2H2H", 0, 1, 4, 0)
    body += struct.pack(f">{len(numbers)}H", *numbers)
    symbols = struct.pack(">3H", 4, 6 + len(body), 0) + body
    directory = struct.pack(">2H", 0, 2)
    directory += struct.pack(">HHI", 1, 0, 20) + struct.pack(">HHI", 3, 0, 20 + len(trimmed))
    return directory + trimmed + symbols
