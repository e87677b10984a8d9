"""Characters of the codes of a font: by its encoding, or by its ToUnicode."""

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Final
from unicodedata import category

import pikepdf
from pypdf._codecs import adobe_glyphs, charset_encoding

from chalicelib.engine.pdf.document.stream_content import lossless_content

_CODES: Final = 256
_BUILT_IN: Final = {"Symbol": "/Symbol", "ZapfDingbats": "/ZapfDingbats"}
# Adobe's private characters of Symbol: signs without serifs, and parts of tall brackets.
_PRIVATE: Final = dict(
    zip(
        (*range(0xF8E5, 0xF8FF), 0xF6D9, 0xF6DA, 0xF6DB),
        "\u203e\u23d0\u23af®©™⎛⎜⎝⎡⎢⎣⎧⎨⎩⎪⎮⎞⎟⎠⎤⎥⎦⎫⎬⎭©®™",
        strict=True,
    )
)
_UNICODE_NAME: Final = re.compile(r"/(?:uni([0-9A-F]{4})|u([0-9A-F]{4,6}))(?:\..*)?")
# Blocks of a ToUnicode CMap and their entries (ISO 32000-1, 9.10.3).
_CHARACTERS: Final = re.compile(rb"beginbfchar((?:(?!beginbfchar).)*?)endbfchar", re.DOTALL)
_RANGES: Final = re.compile(rb"beginbfrange((?:(?!beginbfrange).)*?)endbfrange", re.DOTALL)
_PAIR: Final = re.compile(rb"<\s*([0-9A-Fa-f]+)\s*>\s*<\s*+([0-9A-Fa-f\s]*+)>")
_RANGE: Final = re.compile(
    rb"<\s*([0-9A-Fa-f]+)\s*>\s*<\s*([0-9A-Fa-f]+)\s*>\s*"
    rb"(?:<\s*+([0-9A-Fa-f\s]*+)>|\[([^\[\]]*+)\])"
)
_NO_CHARACTER: Final = re.compile(rb"(<[0-9A-Fa-f]+>\s*)<(?:0000|FEFF|FFFE|feff|fffe)>")
_TEXT: Final = re.compile(rb"<([0-9A-Fa-f\s]*)>")
_MAX_CODE: Final = 0xFFFF
_MAX_CMAP_BYTES: Final = 4 << 20
_BLOCK: Final = 100


def simple_characters(font: pikepdf.Object, name: str) -> dict[int, str]:
    """Return the text of each code of a simple font; `name` is that of its typeface."""
    encoding = font.get("/Encoding")
    base, differences = encoding, None
    if isinstance(encoding, pikepdf.Dictionary):
        base, differences = encoding.get("/BaseEncoding"), encoding.get("/Differences")
    table = (
        charset_encoding.get(str(base))
        or charset_encoding[_BUILT_IN.get(name, "/StandardEncoding")]
    )
    # The tables have controls for codes without a character.
    characters = {code: text for code, text in enumerate(table) if category(text) != "Cc"}
    if str(base) == "/WinAnsiEncoding":
        # Codes that show a blank and a hyphen (ISO 32000-1, annex D.2).
        characters |= {0xA0: "\xa0", 0xAD: "\xad"}
    if isinstance(differences, pikepdf.Array):
        characters |= dict(_different_characters(differences))
    mapped = read_to_unicode(font)
    characters = {code: text for code, text in mapped.items() if code < _CODES} | characters
    return {code: text.translate(_PRIVATE) for code, text in characters.items()}


def _different_characters(differences: pikepdf.Array) -> Iterator[tuple[int, str]]:
    code = 0
    entries: list[object] = list(differences)
    for entry in entries:
        if isinstance(entry, int):
            code = entry
        else:
            text = _character(str(entry))
            if text and 0 <= code < _CODES:
                yield code, text
            code += 1


def _character(name: str) -> str | None:
    found = _UNICODE_NAME.fullmatch(name)
    if found:
        number = int(found[1] or found[2], 16)
        return chr(number) if _is_character(number) else None
    text: str | None = adobe_glyphs.get(name) or adobe_glyphs.get(name.partition(".")[0])
    return text


def read_to_unicode(font: pikepdf.Object) -> dict[int, str]:
    """Return the text of each code that the ToUnicode of a font maps."""
    stream = font.get("/ToUnicode")
    if not isinstance(stream, pikepdf.Stream):
        return {}
    content = (lossless_content(stream) or b"")[:_MAX_CMAP_BYTES]
    texts: dict[int, str] = {}
    for block in _RANGES.findall(content):
        for first, last, text, listed in _RANGE.findall(block):
            begin = int(first, 16)
            count = min(int(last, 16), _MAX_CODE) - begin + 1
            if listed:
                values = [_decode(each) for each in _TEXT.findall(listed)][: max(count, 0)]
                texts |= {begin + index: value for index, value in enumerate(values)}
            else:
                texts |= dict(_following(begin, count, _decode(text)))
    for block in _CHARACTERS.findall(content):
        texts |= {int(code, 16): _decode(text) for code, text in _PAIR.findall(block)}
    return {code: text for code, text in texts.items() if text and code <= _MAX_CODE}


def _following(begin: int, count: int, text: str) -> Iterator[tuple[int, str]]:
    for index in range(count if text else 0):
        last = ord(text[-1]) + index
        if _is_character(last):
            yield begin + index, text[:-1] + chr(last)


def _is_character(number: int) -> bool:
    return number <= sys.maxunicode and category(chr(number)) != "Cs"


def _decode(digits: bytes) -> str:
    try:
        return bytes.fromhex(digits.decode("ascii")).decode("utf-16-be")
    except ValueError:
        return ""


def repair_to_unicode(content: bytes) -> bytes:
    """Return a ToUnicode CMap whose glyphs without a character have a zero width space (6.2.11.7).

    Such glyphs are parts of letters: browsers map them to U+0000.
    """
    return _CHARACTERS.sub(
        lambda block: _NO_CHARACTER.sub(rb"\g<1><200B>", block[0]),
        content,
    )


def write_to_unicode(texts: Mapping[int, str], code_bytes: int) -> bytes:
    """Return a ToUnicode CMap."""
    digits = 2 * code_bytes
    lines = [
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap",
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
        "/CMapName /Adobe-Identity-UCS def /CMapType 2 def",
        f"1 begincodespacerange <{0:0{digits}X}> <{256**code_bytes - 1:X}> endcodespacerange",
    ]
    entries = [
        f"<{code:0{digits}X}> <{text.encode('utf-16-be').hex().upper()}>"
        for code, text in sorted(texts.items())
    ]
    for begin in range(0, len(entries), _BLOCK):
        block = entries[begin : begin + _BLOCK]
        lines += [f"{len(block)} beginbfchar", *block, "endbfchar"]
    lines += ["endcmap CMapName currentdict /CMap defineresource pop end end"]
    return "\n".join(lines).encode()
