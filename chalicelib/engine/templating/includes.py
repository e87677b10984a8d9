"""The templates that a template includes: found by their ids, so that they travel with it.

The ids are found without parsing, so that no hostile source is parsed outside the child. Whatever
looks like an include but is none (in a comment, say) costs a look-up, nothing else.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from chalicelib.core.errors import ServiceError

# The HTML of a template by its id; raises ServiceError where there is none to include.
type FindTemplateSource = Callable[[str], str]

MAX_INCLUDED_TEMPLATES: Final = 50
MAX_INCLUDED_CHARACTERS: Final = 8_000_000

# A tag ends before the next percent sign, so that nothing is looked at twice.
_INCLUDE_TAG: Final = re.compile(r"\{%[-+]?\s*include\b([^%]*)")
_TEMPLATE_ID: Final = re.compile(r"""["'](tpl_[0-7][0-9A-HJKMNP-TV-Z]{25})["']""")


class Includes(NamedTuple):
    """Sources by template id, and why the other ids have none."""

    sources: Mapping[str, str] = {}
    problems: Mapping[str, str] = {}

    def to_json(self) -> dict[str, Any]:
        """Return the form in which they travel."""
        return {"sources": dict(self.sources), "problems": dict(self.problems)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "Includes":
        """Read what `to_json` wrote."""
        return cls(value["sources"], value["problems"])


def collect_includes(texts: Iterable[str], find: FindTemplateSource) -> Includes:
    """Return all templates that the texts include, and that those include, and so on.

    What cannot be included is no error here: it may stand in a branch that never runs.
    """
    sources: dict[str, str] = {}
    problems: dict[str, str] = {}
    room = MAX_INCLUDED_CHARACTERS
    waiting = [name for text in texts for name in included_template_ids(text)]
    for name in waiting:  # It grows meanwhile.
        if name in sources or name in problems:
            continue
        if len(sources) + len(problems) >= MAX_INCLUDED_TEMPLATES:
            problems[name] = (
                f"A render can have at most {MAX_INCLUDED_TEMPLATES} included templates."
            )
            continue
        try:
            source = find(name)
        except ServiceError as error:
            problems[name] = error.detail
            continue
        if len(source) > room:
            problems[name] = (
                f"Included templates can have {MAX_INCLUDED_CHARACTERS:,} characters in all."
            )
            continue
        room -= len(source)
        sources[name] = source
        waiting.extend(included_template_ids(source))
    return Includes(sources, problems)


def included_template_ids(text: str) -> list[str]:
    """Return the ids of all templates that a text itself may include."""
    if "include" not in text:
        return []
    return [name for tag in _INCLUDE_TAG.finditer(text) for name in _TEMPLATE_ID.findall(tag[1])]
