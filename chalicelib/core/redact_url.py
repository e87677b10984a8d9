"""Redaction of addresses: readers of a render, an event or a log get no secret of an address.

User and password are left out, and the values of the query and of the fragment: they often sign an
address, or open it.
"""

import re
from collections.abc import Callable, Mapping
from typing import Final

from chalicelib.core.json import Json, JsonObject

_VALUE: Final = "***"
# Read as leniently as browsers do, which take any number of slashes, and `\` for a slash.
_USERINFO: Final = re.compile(r"^(\s*(?:(?:https?|wss?|ftp):[/\\]*|//))[^/\\?#]*@", re.IGNORECASE)
# Not the content of `data:` addresses.
_CONTENT: Final = re.compile(r"\s*(?:data|blob|javascript):", re.IGNORECASE)
_PARAMETER: Final = re.compile("[^&;]+")
_FRAGMENT_VALUE: Final = re.compile("=[^&;]*")
# An address in a text ends before what is escaped in addresses.
_IN_TEXT: Final = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]{0,20}:(?:\\?/){2}[^\s"<>`]+""")


def redacted_url(url: str) -> str:
    """Return an address without user name and password, its values replaced by `***`."""
    if _CONTENT.match(url):
        return url
    rest, hash_mark, fragment = url.partition("#")
    path, query_mark, query = rest.partition("?")
    return "".join(
        (
            without_userinfo(path),
            query_mark,
            _PARAMETER.sub(_without_value, query),
            hash_mark,
            _FRAGMENT_VALUE.sub(f"={_VALUE}", fragment),
        )
    )


def redacted_text(text: str) -> str:
    """Return a text with the addresses in it redacted."""
    return _IN_TEXT.sub(lambda found: redacted_url(found[0]), text)


def redacted_urls(value: JsonObject) -> dict[str, Json]:
    """Return JSON in which every member named `url` is redacted."""
    return {
        name: redacted_url(member)
        if name == "url" and isinstance(member, str)
        else _member(member, redacted_urls)
        for name, member in value.items()
    }


def redacted_texts(value: JsonObject) -> dict[str, Json]:
    """Return JSON with the addresses in all its texts redacted."""
    return {name: _member(member, redacted_texts, redacted_text) for name, member in value.items()}


def without_userinfo(url: str) -> str:
    """Return an address without user name and password."""
    return _USERINFO.sub(r"\1", url)


def _without_value(parameter: re.Match[str]) -> str:
    """Return `name=***`; a parameter without a name may be a secret itself."""
    name, separator, _ = parameter[0].partition("=")
    return f"{name}={_VALUE}" if separator else _VALUE


def _member(
    value: Json,
    redact_object: Callable[[JsonObject], JsonObject],
    redact_text: Callable[[str], str] = str,
) -> Json:
    if isinstance(value, str):
        return redact_text(value)
    if isinstance(value, Mapping):
        return redact_object(value)
    if isinstance(value, list | tuple):
        return [_member(each, redact_object, redact_text) for each in value]
    return value
