"""Partials of a template folder: `{% include "partials/NAME" %}` names a file of it.

A stored template has no files, so a partial is put where it is included, between comments that name
it, and in a scope of its own (`with`), as an include has. So drafts and versions are whole: what a
partial says changes with the template that includes it, and with no other (decision 71).
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from infra.operator.api.problem import Place
from infra.operator.output import CommandError

FOLDER: Final = "partials"

_NAME: Final = r"partials/(?P<name>[\w.-]+(?:/[\w.-]+)*)"
# Comments and raw blocks come first: what they hold is text.
_TAG: Final = re.compile(
    r"\{#.*?#\}|\{%[-+]?\s*raw\s*[-+]?%\}.*?\{%[-+]?\s*endraw\s*[-+]?%\}"
    r"|\{%(?P<left>[-+]?)\s*include\s*(?P<quote>[\"'])" + _NAME + r"(?P=quote)"
    r"(?:\s*with\s+context)?\s*(?P<right>[-+]?)%\}"
    r"|(?P<refused>\{%[-+]?\s*(?:include|extends|import|from)\b[^%]*?[\"']partials/[^%]*%\})",
    re.DOTALL,
)
_EXPANDED: Final = re.compile(
    r"\{#(?P<left>-?) " + _NAME + r" #\}\{% with %\}(?P<text>.*?)"
    r"\{% endwith %\}\{# end of partials/(?P=name) (?P<right>-?)#\}",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ExpandedText:
    """A text with its partials, and where its parts come from."""

    text: str
    # Offset of each part in the text, its file, and the offset in that file.
    parts: tuple[tuple[int, str, int], ...]
    sources: Mapping[str, str]

    def place(self, line: int, column: int) -> Place:
        """Return the place in a file of a line and a column of the text."""
        starts = [0]
        starts += [each.end() for each in re.finditer("\n", self.text)]
        offset = starts[min(line, len(starts)) - 1] + column - 1
        index = bisect_right([start for start, _, _ in self.parts], offset) - 1
        start, file, first = self.parts[max(0, index)]
        source = self.sources[file]
        before = source[: first + offset - start]
        begin = before.rfind("\n") + 1
        text, _, _ = source[begin:].partition("\n")
        return Place(file, before.count("\n") + 1, len(before) - begin + 1, text)


def expand(file: str, text: str, read: Callable[[str], str]) -> ExpandedText:
    """Return a text with its partials put in; `read` returns the text of a partial by its name.

    Raises CommandError for a partial that includes itself, and for a tag that cannot name a file.
    """
    expansion = _Expansion(read)
    expansion.add(file, text, ())
    return ExpandedText("".join(expansion.pieces), tuple(expansion.parts), expansion.sources)


class _Expansion:
    """Text that grows by the pieces of its files."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self.pieces: list[str] = []
        self.parts: list[tuple[int, str, int]] = []
        self.sources: dict[str, str] = {}
        self._read = read
        self._length = 0

    def add(self, file: str, text: str, inside: tuple[str, ...]) -> None:
        """Add a file; `inside` are the partials that it stands in."""
        self.sources[file] = text
        offset = 0
        for tag in _TAG.finditer(text):
            if tag["refused"]:
                line = text.count("\n", 0, tag.start()) + 1
                message = f'{file}:{line}: write {{% include "{FOLDER}/NAME" %}}; only an include '
                message += "takes a file, other tags take the id of a template"
                raise CommandError("partial_refused", message)
            if tag["name"] is None:
                continue
            name = tag["name"]
            if name in inside or not _is_file_name(name):
                message = f"{file}: {FOLDER}/{name} includes itself, or is no file of {FOLDER}/"
                raise CommandError("partial_refused", message)
            left, right = (dash if dash == "-" else "" for dash in (tag["left"], tag["right"]))
            self._append(file, offset, text[offset : tag.start()])
            self._append(file, tag.start(), f"{{#{left} {FOLDER}/{name} #}}{{% with %}}")
            # As an include reads a template: without its last line break.
            self.add(f"{FOLDER}/{name}", self._read(name).removesuffix("\n"), (*inside, name))
            end = f"{{% endwith %}}{{# end of {FOLDER}/{name} {right}#}}"
            self._append(file, tag.start(), end)
            offset = tag.end()
        self._append(file, offset, text[offset:])

    def _append(self, file: str, offset: int, text: str) -> None:
        self.parts.append((self._length, file, offset))
        self.pieces.append(text)
        self._length += len(text)


def collapse(text: str, partials: dict[str, str]) -> str:
    """Return a text with includes in place of its partials, which are added by their names.

    A partial that two places have with different texts stays where it differs from the first, and
    so does one whose name leads out of the folder: others may have written the text.
    """

    def include(found: re.Match[str]) -> str:
        if not _is_file_name(found["name"]):
            return found[0]
        inner = collapse(found["text"], partials) + "\n"
        if partials.setdefault(found["name"], inner) != inner:
            return found[0]
        left, right = found["left"], found["right"]
        return f'{{%{left} include "{FOLDER}/{found["name"]}" {right}%}}'

    return _EXPANDED.sub(include, text)


def _is_file_name(name: str) -> bool:
    """Tell whether a name stays in the folder of partials."""
    return ".." not in name.split("/")
