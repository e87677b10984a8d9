"""ICC profile of printing inks, for CMYK colours of documents that carry none (ICC.1:2004).

Made of the colours that readers show for the sixteen mixtures of full inks, with straight lines
between them.
"""

import struct
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Final

# sRGB of the mixtures, by cyan, magenta, yellow and black.
_MIXTURES: Final = (
    *((255, 255, 255), (35, 31, 32), (255, 241, 1), (25, 26, 0)),
    *((237, 2, 140), (21, 0, 0), (238, 29, 35), (23, 0, 0)),
    *((0, 174, 239), (0, 4, 36), (0, 165, 79), (0, 4, 0)),
    *((46, 48, 146), (0, 0, 1), (54, 53, 57), (0, 0, 0)),
)
_GRID: Final = 5
# sRGB to XYZ under D50 (IEC 61966-2-1, adapted by Bradford), and the white of D50.
_TO_XYZ: Final = (
    (0.4360747, 0.3850649, 0.1430804),
    (0.2225045, 0.7168786, 0.0606169),
    (0.0139322, 0.0971045, 0.7141733),
)
_D50: Final = (0.9642, 1.0, 0.8249)
_DARKEST: Final = 0.04045
_NEAR_ZERO: Final = 0.008856
_HEADER_BYTES: Final = 128
_TEXT: Final = "CMYK, inks of offset printing"


@cache
def cmyk_profile() -> bytes:
    """Return the profile: class scanner, four inks to Lab."""
    white = b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(each * 65536) for each in _D50))
    tags = {b"desc": _description(), b"cprt": _text(), b"wtpt": white, b"A2B0": _table()}
    offset, directory, bodies = _HEADER_BYTES + 4 + 12 * len(tags), b"", b""
    for tag, body in tags.items():
        padded = body + bytes(-len(body) % 4)
        directory += struct.pack(">4sII", tag, offset, len(body))
        bodies += padded
        offset += len(padded)
    return _header(offset) + struct.pack(">I", len(tags)) + directory + bodies


def _header(size: int) -> bytes:
    white = struct.pack(">3i", *(round(each * 65536) for each in _D50))
    return struct.pack(
        ">I4sI4s4s4s6H4s4sI4s4sQI12s48x",
        *(size, b"\0\0\0\0", 0x0210_0000, b"scnr", b"CMYK", b"Lab "),
        *(2000, 1, 1, 0, 0, 0),
        *(b"acsp", b"\0\0\0\0", 0, b"\0\0\0\0", b"\0\0\0\0", 0, 0, white),
    )


def _description() -> bytes:
    text = _TEXT.encode() + b"\0"
    return b"desc\0\0\0\0" + struct.pack(">I", len(text)) + text + bytes(4 + 4 + 2 + 1 + 67)


def _text() -> bytes:
    return b"text\0\0\0\0" + b"No rights reserved\0"


def _table() -> bytes:
    """Return the table of Lab colours, with one byte a value (type lut8)."""
    identity = struct.pack(">9i", *(65536, 0, 0, 0, 65536, 0, 0, 0, 65536))
    curve = bytes(range(256))
    steps = [index / (_GRID - 1) for index in range(_GRID)]
    colours = b"".join(bytes(_lab(_mix(inks))) for inks in product(steps, repeat=4))
    return b"mft1\0\0\0\0" + bytes([4, 3, _GRID, 0]) + identity + curve * 4 + colours + curve * 3


def _mix(inks: Sequence[float]) -> list[float]:
    """Return the sRGB of a mixture of inks."""
    result = [0.0, 0.0, 0.0]
    for full, colour in zip(product((0, 1), repeat=4), _MIXTURES, strict=True):
        share = 1.0
        for ink, is_full in zip(inks, full, strict=True):
            share *= ink if is_full else 1 - ink
        for channel in range(3):
            result[channel] += share * colour[channel] / 255
    return result


def _lab(rgb: Sequence[float]) -> Iterator[int]:
    light = [_linear(each) for each in rgb]
    xyz = [sum(a * b for a, b in zip(row, light, strict=True)) for row in _TO_XYZ]
    x, y, z = (_cube_root(each / white) for each, white in zip(xyz, _D50, strict=True))
    lightness, a, b = 116 * y - 16, 500 * (x - y), 200 * (y - z)
    for value in (lightness * 2.55, a + 128, b + 128):
        yield min(max(round(value), 0), 255)


def _linear(value: float) -> float:
    """Return the light of a value of sRGB (IEC 61966-2-1)."""
    return value / 12.92 if value <= _DARKEST else ((value + 0.055) / 1.055) ** 2.4


def _cube_root(value: float) -> float:
    """Return the cube root, which is a line near zero (CIE 15)."""
    return value ** (1 / 3) if value > _NEAR_ZERO else 7.787 * value + 16 / 116
