"""Data that no text of a render names, such as fields of a layer that were meant to be replaced."""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from chalicelib.core.json import JsonObject
from chalicelib.engine.context import RenderWarning

_MAX_WARNINGS: Final = 20
_MAX_NAME_CHARACTERS: Final = 100
_NAME: Final = re.compile(r"[^\W\d]\w*")


def unused_data(data: JsonObject, texts: Iterable[str]) -> Iterator[RenderWarning]:
    """Yield a warning for each key of the data that no text names; 20 at most.

    A text names the first step of a path, and every word of a template.
    """
    if not data:
        return
    named = {name for text in texts for name in (text.partition(".")[0], *_NAME.findall(text))}
    unused = [key for key in data if key not in named][:_MAX_WARNINGS]
    for key in unused:
        name = key[:_MAX_NAME_CHARACTERS]
        yield RenderWarning(
            "data_unused",
            f"No layer shows {name} of the data. A layer takes its value by 'bind', a dotted path "
            "into the data; data do not set fields of layers.",
            f"data.{name}",
        )
