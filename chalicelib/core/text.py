"""Text made safe for file names, HTTP headers, terminals and UTF-8."""

import re
import unicodedata
from typing import Final, Literal
from urllib.parse import quote

from chalicelib.core.json import Json

# Characters that XML 1.0 forbids. Listed, because compiling the negated class of allowed ones takes
# milliseconds at import.
NOT_IN_XML: Final = re.compile("[\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\ud800-\\udfff\\ufffe\\uffff]")
_FORBIDDEN_CHARACTERS: Final = frozenset('<>:"/\\|?*')
_PATH_SEPARATORS: Final = frozenset("/\\:")
# Device names of Windows, which also knows them with superscript digits, and with blanks before
# the first dot.
_RESERVED_NAMES: Final = re.compile(
    r"(?i)(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[\d\u00b9\u00b2\u00b3]) *(?:\..*)?"
)
_MAX_NAME_BYTES: Final = 200
_MAX_INPUT_CHARACTERS: Final = 2_000
# A render with several formats gives one name to all its files: the extension is replaced.
_EXTENSION: Final = re.compile(r"(?i)\.(?:pdf|png|jpe?g|webp|html?|xml|zip|txt)$")

# What texts of a pattern are, by the pattern.
_FORMS: Final[dict[str, str]] = {}


def pattern_with_form(pattern: str, form: str) -> str:
    """Return a regular expression; messages about a text that does not match have its `form`."""
    assert _FORMS.setdefault(pattern, form) == form, pattern
    return pattern


def mismatch_message(pattern: str) -> str:
    """Return the message for a text that does not match a regular expression."""
    form = _FORMS.get(pattern)
    return f"must match {pattern}" if form is None else f"must be {form}"


def safe_filename(
    text: str | None, *, fallback: str, extension: str, part: int | None = None
) -> str:
    """Return a file name that every file system accepts, with this extension.

    With a `part` the name ends with its number.

    The extension of another format is replaced. Path separators, control and direction characters
    and lone surrogates are removed; an empty name becomes `fallback`. At most 200 bytes of UTF-8
    before the extension, the number included.
    """
    name = "".join(map(_filename_character, (text or "")[:_MAX_INPUT_CHARACTERS]))
    name = unicodedata.normalize("NFC", name).strip(" .")
    name = _EXTENSION.sub("", name).rstrip(" .")
    if not name or _RESERVED_NAMES.fullmatch(name):
        name = fallback
    end = "" if part is None else f"-{part}"
    return f"{_truncate_name(name, _MAX_NAME_BYTES - len(end))}{end}.{extension}"


def is_safe_filename(text: str) -> bool:
    """Tell whether a text is a plain file name: no path, device, control or direction character."""
    is_visible = all(
        each not in _PATH_SEPARATORS and (each.isprintable() or _is_blank(each)) for each in text
    )
    return is_visible and not text.endswith((" ", ".")) and _RESERVED_NAMES.fullmatch(text) is None


def content_disposition(filename: str, kind: Literal["attachment", "inline"] = "attachment") -> str:
    """Return a Content-Disposition (RFC 6266) for any file name."""
    plain = filename.encode("ascii", "replace").decode().replace('"', "_").replace("\\", "_")
    # Some clients decode percent sequences in the plain name.
    plain = plain.replace("?", "_").replace("%", "_")
    return f"{kind}; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


def terminal_text(text: str, *, allow_newlines: bool = False) -> str:
    """Return a text that a terminal only displays: control characters become escapes.

    With `allow_newlines` line feeds stay.
    """
    return "".join(
        each if each.isprintable() or (allow_newlines and each == "\n") else _escape_sequence(each)
        for each in text
    )


def number_with_noun(count: int, noun: str) -> str:
    """Return a number with its noun, such as `1 page` and `2 pages`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def cut_text(text: str, max_characters: int) -> str:
    """Return a text of at most so many characters, with an ellipsis where more was there."""
    return text if len(text) <= max_characters else f"{text[:max_characters]}…"


def replace_lone_surrogates[T: (str, Json)](value: T) -> T:
    """Return a JSON value with lone surrogates replaced, so that its texts can be encoded."""
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
    # str.isprintable is true for U+0020 but for no other space separator.
    return unicodedata.category(character) == "Zs"


def _escape_sequence(character: str) -> str:
    return character.encode("unicode_escape").decode()


def _truncate_name(name: str, max_bytes: int) -> str:
    return name.encode()[:max_bytes].decode(errors="ignore")
