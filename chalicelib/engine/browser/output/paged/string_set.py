"""Values of `string-set`: names and the pieces of their texts (CSS GCPM 3)."""

import re
from typing import Final

_PIECE: Final = re.compile(
    r"""\s*+(?:"((?:[^"\\]|\\.)*+)"|'((?:[^'\\]|\\.)*+)'"""
    r"""|([\w-]++)\(\s*+([\w-]*+)\s*+\)|(,)|([\w-]++))""",
    re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)
_CONTENT_PARTS: Final = frozenset({"before", "after", "first-letter"})
_MAX_CODE_POINT: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)

# A kind of text and its argument, as marks.js knows them.
type TextPiece = tuple[str, str]
type NamedText = tuple[str, list[TextPiece]]


def parse_string_set(value: str) -> list[NamedText] | None:
    """Return each name with the pieces of its text; None for a value that is not known."""
    if value.strip().lower() == "none":
        return []
    strings: list[NamedText] = []
    position, begins, value = 0, True, value.strip()
    while position < len(value):
        match = _PIECE.match(value, position)
        if match is None:
            return None
        position = match.end()
        if begins and match[6]:
            strings.append((match[6], []))
        elif not begins and not match[5]:
            piece = _text_piece(match)
            if piece is None:
                return None
            strings[-1][1].append(piece)
        elif begins:
            return None
        begins = bool(match[5])
    return strings


def _text_piece(match: re.Match[str]) -> TextPiece | None:
    function, argument = (match[3] or "").lower(), match[4] or ""
    if function == "attr" and argument:
        return "attr", argument
    if function == "content":
        part = argument.lower()
        return (part, "") if part in _CONTENT_PARTS else _whole_content(part)
    if function or match[6]:
        return None
    return "text", _ESCAPE.sub(_unescape, match[1] or match[2] or "")


def _whole_content(part: str) -> TextPiece | None:
    return ("content", "") if part in {"", "text"} else None


def _unescape(escape: re.Match[str]) -> str:
    if escape[1] is None:
        return "" if escape[2] == "\n" else escape[2]
    code = int(escape[1], 16)
    # As CSS has it for zero, surrogates and what is too large.
    is_character = 0 < code <= _MAX_CODE_POINT and code not in _SURROGATES
    return chr(code) if is_character else "\N{REPLACEMENT CHARACTER}"
