"""What is kept and shown again has room in an answer."""

from collections.abc import Mapping
from typing import Any, Final

from chalicelib.core import json
from chalicelib.core.errors import ServiceError

# A function answers with 6 MB, its body as a text in it; the rest is for what stands around this.
_MOST_BYTES: Final = 6_000_000


def check_shown(what: str, value: Mapping[str, Any]) -> None:
    """Refuse what no answer could show; raises `payload_too_large`.

    It may grow on its way: quotes are escaped twice, and numbers are written in full.
    """
    size = len(json.dumps(json.dumps(value)).encode())
    if size > _MOST_BYTES:
        raise ServiceError(
            "payload_too_large",
            f"{what} takes {size} bytes of an answer, with quotes escaped and numbers written in "
            f"full; an answer has room for {_MOST_BYTES}. Make it smaller.",
        )
