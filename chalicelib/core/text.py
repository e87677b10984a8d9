"""Text that goes into names, headers and terminals."""

import re
import unicodedata
from typing import Any, Final
from urllib.parse import quote

# Characters that XML 1.0 has no place for. Written as the few they are: the compiler takes
# milliseconds for a class of all others.
NOT_IN_XML: Final = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")
_FORBIDDEN_CHARACTERS: Final = frozenset('<>:"/\\|?*')
_PATH_SEPARATORS: Final = frozenset("/\\:")
# Also with superscript digits, and with blanks before the first dot.
_RESERVED_NAMES: Final = re.compile(
    r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3]) *(?:\..*)?"
)
_MAX_NAME_BYTES: Final = 200
_MAX_INPUT_CHARACTERS: Final = 2_000
# One name may be given to files of several formats.
_EXTENSION: Final = re.compile(r"(?i)\.(?:pdf|png|jpe?g|webp|html?|xml|zip|txt)$")


def safe_filename(text: str | None, *, fallback: str, extension: str) -> str:
    """Return a file name that every file system takes, with this extension.

    It takes the place of another format's. Path separators go, and whatever nobody sees: control
    and direction characters, halves of pairs; an empty rest becomes `fallback`.
    """
    name = "".join(map(_filename_character, (text or "")[:_MAX_INPUT_CHARACTERS]))
    name = unicodedata.normalize("NFC", name).strip(" .")
    name = _EXTENSION.sub("", name).rstrip(" .")
    if not name or _RESERVED_NAMES.fullmatch(name):
        name = fallback
    return f"{_truncate_name(name)}.{extension}"


def is_safe_filename(text: str) -> bool:
    """Tell whether a text is the name of a file that no reader takes for anything else."""
    seen = all(
        each not in _PATH_SEPARATORS and (each.isprintable() or _is_blank(each)) for each in text
    )
    return seen and not text.endswith((" ", ".")) and _RESERVED_NAMES.fullmatch(text) is None


def content_disposition(filename: str) -> str:
    """Return an `attachment` header (RFC 6266) that carries any name."""
    plain = filename.encode("ascii", "replace").decode().replace('"', "_").replace("\\", "_")
    # Some readers take a percent sign for the beginning of a code.
    plain = plain.replace("?", "_").replace("%", "_")
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def terminal_text(text: str, *, allow_newlines: bool = False) -> str:
    """Return a text that a terminal only shows: what it would act on is written as an escape.

    `lines`: it may have several.
    """
    return "".join(
        each if each.isprintable() or (allow_newlines and each == "\n") else _escape_sequence(each)
        for each in text
    )


def replace_lone_surrogates(value: Any) -> Any:
    """Return a JSON value whose texts can be encoded: halves of pairs are replaced."""
    match value:
        case str():
            return value if value.isascii() else _replace_in_text(value)
        case dict():
            return {
                replace_lone_surrogates(name): replace_lone_surrogates(member)
                for name, member in value.items()
            }
        case list():
            return [replace_lone_surrogates(member) for member in value]
        case _:
            return value


def _replace_in_text(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _filename_character(character: str) -> str:
    if character in _FORBIDDEN_CHARACTERS:
        return ""
    if character.isprintable():
        return character
    return " " if _is_blank(character) else ""


def _is_blank(character: str) -> bool:
    # Of all blanks only the plain one counts as printable.
    return unicodedata.category(character) == "Zs"


def _escape_sequence(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _truncate_name(name: str) -> str:
    return name.encode()[:_MAX_NAME_BYTES].decode(errors="ignore")
