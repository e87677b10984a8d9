"""Version of a message between functions, which two releases exchange during a deployment."""

from collections.abc import Mapping
from typing import Final

_MAX_VERSION_CHARS: Final = 40


class UnknownVersion(Exception):  # noqa: N818 -- its name is the answer to other releases
    """The message is of another release; a function of that release may receive it next time."""


def check_version(message: Mapping[str, object], version: int, subject: str = "a message") -> None:
    """Raise UnknownVersion unless the message has this version; `subject` names it in the text."""
    if message.get("v") != version:
        # The text goes into logs and rows; a foreign value may be as long as a message.
        actual = repr(message.get("v"))[:_MAX_VERSION_CHARS]
        reason = f"{subject} of version {version} is expected, not {actual}"
        raise UnknownVersion(reason)
