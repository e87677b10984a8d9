"""TrueType fonts: characters, widths, and subsets with the glyphs that a document uses."""

import struct
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

_TABLE_RECORD: Final = 16
_SEGMENTED, _GROUPED = 4, 12
# Best last: platform and encoding of a table of characters.
_CHARACTER_MAPS: Final = ((0, 3), (3, 1), (0, 4), (3, 10))
_CHECKSUM_MAGIC: Final = 0xB1B0AFBA
# Tables that the instructions of glyphs work with.
HINTING: Final[tuple[str, ...]] = ("cvt ", "fpgm", "prep")
# Flags of a component (OpenType, "glyf"): sizes of its arguments and transformation.
_WORDS, _SCALE, _MORE, _TWO_SCALES, _MATRIX = 0x1, 0x8, 0x20, 0x40, 0x80


class TrueTypeFont:
    """Font with outlines in a table `glyf`, as all bundled fonts have them."""

    def __init__(self, content: bytes) -> None:
        """Read the directory of tables."""
        (count,) = struct.unpack_from(">H", content, 4)
        self.tables: dict[str, memoryview] = {}
        for number in range(count):
            tag, _, offset, length = struct.unpack_from(
                ">4sIII", content, 12 + number * _TABLE_RECORD
            )
            self.tables[tag.decode("latin-1")] = memoryview(content)[offset : offset + length]
        head, hhea = self.tables["head"], self.tables["hhea"]
        (self.units_per_em,) = struct.unpack_from(">H", head, 18)
        self.box = struct.unpack_from(">4h", head, 36)
        self.ascent, self.descent = struct.unpack_from(">2h", hhea, 4)
        (self._long_metrics,) = struct.unpack_from(">H", hhea, 34)

    @cached_property
    def glyphs(self) -> dict[int, int]:
        """Return the glyphs by their characters."""
        cmap = self.tables["cmap"]
        (count,) = struct.unpack_from(">H", cmap, 2)
        offsets = {}
        for number in range(count):
            platform, encoding, offset = struct.unpack_from(">HHI", cmap, 4 + number * 8)
            offsets[platform, encoding] = offset
        offset = next(offsets[key] for key in reversed(_CHARACTER_MAPS) if key in offsets)
        (kind,) = struct.unpack_from(">H", cmap, offset)
        read = {_SEGMENTED: _read_segments, _GROUPED: _read_groups}[kind]
        return dict(read(cmap[offset:]))

    def advance(self, glyph: int) -> float:
        """Return the width of a glyph in thousandths of the font size."""
        index = min(glyph, self._long_metrics - 1)
        (advance,) = struct.unpack_from(">H", self.tables["hmtx"], index * 4)
        return float(advance * 1000 / self.units_per_em)

    def subset(self, glyphs: Sequence[int]) -> bytes:
        """Return a font with these glyphs, numbered from 0 in their order; the first is 0."""
        order = list(glyphs)
        numbers = {glyph: number for number, glyph in enumerate(order)}
        outlines, offsets = [], [0]
        # Grows while it is read: the parts of composed glyphs come last.
        for glyph in order:
            outline = bytearray(self.outline(glyph))
            for place, part in components(outline):
                if part not in numbers:
                    numbers[part] = len(order)
                    order.append(part)
                struct.pack_into(">H", outline, place, numbers[part])
            outline += bytes(-len(outline) % 4)
            outlines.append(outline)
            offsets.append(offsets[-1] + len(outline))
        tables = {tag: bytes(table) for tag, table in self.tables.items() if tag in HINTING}
        tables["glyf"] = b"".join(outlines)
        tables["loca"] = struct.pack(f">{len(offsets)}I", *offsets)
        tables["hmtx"] = b"".join(self._metrics(glyph) for glyph in order)
        tables["maxp"] = replace_number(self.tables["maxp"], 4, len(order))
        tables["hhea"] = replace_number(self.tables["hhea"], 34, len(order))
        # Offsets of outlines are of the long kind.
        tables["head"] = replace_number(self.tables["head"], 50, 1)
        return font_file(tables)

    def outline(self, glyph: int) -> memoryview:
        """Return the outline of a glyph; empty for a blank."""
        (is_long,) = struct.unpack_from(">H", self.tables["head"], 50)
        step, code, factor = (4, ">2I", 1) if is_long else (2, ">2H", 2)
        begin, end = struct.unpack_from(code, self.tables["loca"], glyph * step)
        return self.tables["glyf"][begin * factor : end * factor]

    def _metrics(self, glyph: int) -> bytes:
        table, last = self.tables["hmtx"], self._long_metrics - 1
        if glyph <= last:
            return bytes(table[glyph * 4 : glyph * 4 + 4])
        bearing = self._long_metrics * 4 + (glyph - last - 1) * 2
        return bytes(table[last * 4 : last * 4 + 2]) + bytes(table[bearing : bearing + 2])


def _read_segments(table: memoryview) -> Iterator[tuple[int, int]]:
    (double_count,) = struct.unpack_from(">H", table, 6)
    count = double_count // 2
    code = f">{count}H"
    ends = struct.unpack_from(code, table, 14)
    starts, deltas, ranges = (
        struct.unpack_from(code, table, 16 + double_count * number) for number in (1, 2, 3)
    )
    for index, (start, end, delta, offset) in enumerate(
        zip(starts, ends, deltas, ranges, strict=True)
    ):
        base = 16 + double_count * 3 + index * 2 + offset
        for character in range(start, min(end, 0xFFFE) + 1):
            glyph = character
            if offset:
                (glyph,) = struct.unpack_from(">H", table, base + (character - start) * 2)
            if glyph or not offset:
                yield character, (glyph + delta) & 0xFFFF


def _read_groups(table: memoryview) -> Iterator[tuple[int, int]]:
    (count,) = struct.unpack_from(">I", table, 12)
    for start, end, glyph in struct.iter_unpack(">3I", table[16 : 16 + count * 12]):
        yield from zip(range(start, end + 1), range(glyph, glyph + end - start + 1), strict=True)


def components(outline: bytearray) -> Iterator[tuple[int, int]]:
    """Yield place and glyph of each part of a composed glyph."""
    if not outline or struct.unpack_from(">h", outline)[0] >= 0:
        return
    place, flags = 10, _MORE
    while flags & _MORE:
        flags, part = struct.unpack_from(">HH", outline, place)
        yield place + 2, part
        place += 8 if flags & _WORDS else 6
        sizes = ((_SCALE, 2), (_TWO_SCALES, 4), (_MATRIX, 8))
        place += next((size for flag, size in sizes if flags & flag), 0)


def replace_number(table: memoryview, offset: int, number: int) -> bytes:
    """Return a table with a number of two bytes in another one's place."""
    return bytes(table[:offset]) + struct.pack(">H", number) + bytes(table[offset + 2 :])


def font_file(tables: dict[str, bytes]) -> bytes:
    """Return the file of a font."""
    tables["head"] = tables["head"][:8] + bytes(4) + tables["head"][12:]
    count = len(tables)
    power = count.bit_length() - 1
    header = struct.pack(">IHHHH", 0x10000, count, 16 << power, power, count * 16 - (16 << power))
    offset, records, contents = 12 + count * _TABLE_RECORD, [], []
    for tag, content in sorted(tables.items()):
        padded = content + bytes(-len(content) % 4)
        record = (tag.encode("latin-1"), _checksum(padded), offset, len(content))
        records.append(struct.pack(">4sIII", *record))
        contents.append(padded)
        offset += len(padded)
    font = header + b"".join(records) + b"".join(contents)
    # The checksum of the whole font stands in `head`, which is found again by its record.
    head = 12 + sorted(tables).index("head") * _TABLE_RECORD
    (place,) = struct.unpack_from(">I", font, head + 8)
    adjustment = struct.pack(">I", (_CHECKSUM_MAGIC - _checksum(font)) & 0xFFFFFFFF)
    return font[: place + 8] + adjustment + font[place + 12 :]


def _checksum(padded: bytes) -> int:
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) & 0xFFFFFFFF
