"""TrueType fonts: reading of glyphs, and subsets whose codes and widths a document decides.

The fonts read are the bundled ones, which are sound: outlines in `glyf`, and a Unicode `cmap`.
"""

import struct
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

_COPIED_TABLES: Final = ("cvt ", "fpgm", "prep")
_SFNT_VERSION: Final = 0x0001_0000
_CHECKSUM_MAGIC: Final = 0xB1B0_AFBA
_LOCATION_FORMAT_AT: Final = 50
# Flags of a component of a composite glyph (OpenType, glyf).
_WORDS: Final = 0x0001
_SCALE: Final = 0x0008
_MORE: Final = 0x0020
_TWO_SCALES: Final = 0x0040
_MATRIX: Final = 0x0080
_INSTRUCTIONS: Final = 0x0100
_SYMBOL_AREA: Final = 0xF000
# Post table without names of glyphs (version 3).
_POST: Final = struct.pack(">I28x", 0x0003_0000)


class SubsetGlyph(NamedTuple):
    """Glyph of a font, and the width it gets, in thousandths of the font size."""

    font: "TrueTypeFont"
    glyph: int
    width: float


class TrueTypeFont:
    """Font file of the bundle."""

    def __init__(self, content: bytes) -> None:
        """Read the directory of tables."""
        self._content = content
        count = struct.unpack_from(">H", content, 4)[0]
        self._tables = {
            tag.decode("latin-1"): (offset, length)
            for tag, _, offset, length in struct.iter_unpack(
                ">4sIII", content[12 : 12 + 16 * count]
            )
        }
        self.units_per_em: int = struct.unpack_from(">H", self._table("head"), 18)[0]
        self._is_long = bool(struct.unpack_from(">h", self._table("head"), _LOCATION_FORMAT_AT)[0])
        self._metric_count: int = struct.unpack_from(">H", self._table("hhea"), 34)[0]

    @property
    def bounding_box(self) -> Sequence[int]:
        """Return left, bottom, right and top of all glyphs, in thousandths."""
        return [
            self._thousandths(each) for each in struct.unpack_from(">4h", self._table("head"), 36)
        ]

    @property
    def ascent_descent(self) -> tuple[int, int]:
        """Return ascent and descent, in thousandths."""
        ascent, descent = struct.unpack_from(">2h", self._table("hhea"), 4)
        return self._thousandths(ascent), self._thousandths(descent)

    def width(self, glyph: int) -> float:
        """Return the width of a glyph, in thousandths."""
        at = 4 * min(glyph, self._metric_count - 1)
        advance: int = struct.unpack_from(">H", self._table("hmtx"), at)[0]
        return advance * 1000 / self.units_per_em

    @cached_property
    def glyphs(self) -> Mapping[int, int]:
        """Return the glyph of each character."""
        cmap = self._table("cmap")
        count = struct.unpack_from(">H", cmap, 2)[0]
        offsets = {
            (platform, encoding): offset
            for platform, encoding, offset in struct.iter_unpack(">HHI", cmap[4 : 4 + 8 * count])
        }
        if (3, 10) in offsets:
            return _read_groups(cmap[offsets[3, 10] :])
        return _read_segments(cmap[offsets[3, 1] :])

    def subset(self, glyphs: Sequence[SubsetGlyph], codes: Mapping[int, int]) -> bytes:
        """Return a font with these glyphs, numbered from 1 in their order.

        Glyphs of other fonts must have the same units and come without their instructions, which
        call functions of their own font. `codes` give the number of the glyph of each code; a
        composite font has none.
        """
        outlines, metrics = _Outlines(self), []
        for each in (SubsetGlyph(self, 0, self.width(0)), *glyphs):
            outlines.add(each.font, each.glyph)
            metrics.append(round(each.width * self.units_per_em / 1000))
        outlines.add_components()
        metrics += [0] * (len(outlines.contents) - len(metrics))
        bearings = [self._bearing(content) for content in outlines.contents]
        head = bytearray(self._table("head"))
        struct.pack_into(">I", head, 8, 0)
        struct.pack_into(">h", head, _LOCATION_FORMAT_AT, 1)
        hhea = bytearray(self._table("hhea"))
        struct.pack_into(">H", hhea, 34, len(metrics))
        maxp = bytearray(self._table("maxp"))
        struct.pack_into(">H", maxp, 4, len(metrics))
        glyf, loca = outlines.tables()
        tables = {tag: self._table(tag) for tag in _COPIED_TABLES if tag in self._tables}
        tables |= {
            "head": bytes(head),
            "hhea": bytes(hhea),
            "maxp": bytes(maxp),
            "post": _POST,
            "hmtx": b"".join(
                struct.pack(">Hh", *each) for each in zip(metrics, bearings, strict=True)
            ),
            "glyf": glyf,
            "loca": loca,
        }
        if codes:
            tables["cmap"] = _write_cmap(codes)
        return _write_font(tables)

    def outline(self, glyph: int) -> bytes:
        """Return the outline of a glyph."""
        loca = self._table("loca")
        if self._is_long:
            begin, end = struct.unpack_from(">2I", loca, glyph * 4)
        else:
            begin, end = (2 * each for each in struct.unpack_from(">2H", loca, glyph * 2))
        offset = self._tables["glyf"][0]
        return self._content[offset + begin : offset + end]

    @staticmethod
    def _bearing(outline: bytes) -> int:
        # The left side bearing is where the outline begins, in all bundled fonts.
        return struct.unpack_from(">h", outline, 2)[0] if outline else 0

    def _table(self, tag: str) -> bytes:
        offset, length = self._tables[tag]
        return self._content[offset : offset + length]

    def _thousandths(self, units: int) -> int:
        return round(units * 1000 / self.units_per_em)


class _Outlines:
    """Outlines of a subset; those that composite glyphs are made of come behind the others."""

    def __init__(self, font: TrueTypeFont) -> None:
        self._font = font
        self.contents: list[bytes] = []
        self._fonts: list[TrueTypeFont] = []
        self._numbers: dict[tuple[int, int], int] = {}

    def add(self, font: TrueTypeFont, glyph: int) -> None:
        self._numbers.setdefault((id(font), glyph), len(self.contents))
        outline = font.outline(glyph)
        self.contents.append(outline if font is self._font else _without_instructions(outline))
        self._fonts.append(font)

    def add_components(self) -> None:
        number = 0
        while number < len(self.contents):
            outline = bytearray(self.contents[number])
            for at in _component_offsets(outline):
                glyph = struct.unpack_from(">H", outline, at)[0]
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


def _component_offsets(outline: bytes | bytearray) -> list[int]:
    """Return where the numbers of the components stand; none in a simple glyph."""
    if not outline or struct.unpack_from(">h", outline)[0] >= 0:
        return []
    at, flags, offsets = 10, _MORE, []
    while flags & _MORE:
        flags = struct.unpack_from(">H", outline, at)[0]
        offsets.append(at + 2)
        at += 8 if flags & _WORDS else 6
        at += 2 * bool(flags & _SCALE) + 4 * bool(flags & _TWO_SCALES) + 8 * bool(flags & _MATRIX)
    return offsets


def _without_instructions(outline: bytes) -> bytes:
    if not outline:
        return outline
    contours = struct.unpack_from(">h", outline)[0]
    if contours >= 0:
        at = 10 + 2 * contours
        size = struct.unpack_from(">H", outline, at)[0]
        return outline[:at] + bytes(2) + outline[at + 2 + size :]
    changed = bytearray(outline)
    for at in _component_offsets(outline):
        flags = struct.unpack_from(">H", outline, at - 2)[0]
        struct.pack_into(">H", changed, at - 2, flags & ~_INSTRUCTIONS)
    return bytes(changed)


def _read_groups(table: bytes) -> dict[int, int]:
    """Read a cmap of format 12."""
    count = struct.unpack_from(">I", table, 12)[0]
    groups = struct.iter_unpack(">3I", table[16 : 16 + 12 * count])
    return {
        first + index: glyph + index
        for first, last, glyph in groups
        for index in range(last - first + 1)
    }


def _read_segments(table: bytes) -> dict[int, int]:
    """Read a cmap of format 4."""
    count = struct.unpack_from(">H", table, 6)[0] // 2
    ends = struct.unpack_from(f">{count}H", table, 14)
    starts, deltas, offsets = (
        struct.unpack_from(f">{count}H", table, 16 + 2 * count * part) for part in (1, 2, 3)
    )
    offsets_at = 16 + 6 * count
    glyphs = {}
    for index, (first, last) in enumerate(zip(starts, ends, strict=True)):
        for code in range(first, min(last, 0xFFFE) + 1):
            glyph = code
            if offsets[index]:
                at = offsets_at + 2 * index + offsets[index] + 2 * (code - first)
                glyph = struct.unpack_from(">H", table, at)[0]
            if glyph:
                glyphs[code] = (glyph + deltas[index]) % 0x1_0000
    return glyphs


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


def _write_font(tables: Mapping[str, bytes]) -> bytes:
    count = len(tables)
    power = 1 << (count.bit_length() - 1)
    header = struct.pack(
        ">I4H", _SFNT_VERSION, count, power * 16, power.bit_length() - 1, (count - power) * 16
    )
    offset, directory, bodies = 12 + 16 * count, b"", b""
    for tag, content in sorted(tables.items()):
        padded = content + bytes(-len(content) % 4)
        directory += struct.pack(">4sIII", tag.encode(), _checksum(padded), offset, len(content))
        bodies += padded
        offset += len(padded)
    font = bytearray(header + directory + bodies)
    head_at = font.index(b"head", 12)
    head_offset = struct.unpack_from(">I", font, head_at + 8)[0]
    struct.pack_into(">I", font, head_offset + 8, (_CHECKSUM_MAGIC - _checksum(font)) % (1 << 32))
    return bytes(font)


def _checksum(padded: bytes | bytearray) -> int:
    words: tuple[int, ...] = struct.unpack(f">{len(padded) // 4}I", padded)
    return sum(words) % (1 << 32)
