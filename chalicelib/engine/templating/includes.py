"""Templates that a render includes, extends or imports, found by their ids before the run.

The ids are found without parsing, so that no hostile source is parsed outside the child process. A
false match, such as one in a comment, costs a look-up and nothing else.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from chalicelib.core.errors import ServiceError

# Returns the HTML of a template by its id; raises ServiceError where it cannot be included.
type FindTemplateSource = Callable[[str], str]

MAX_INCLUDED_TEMPLATES: Final = 50
MAX_INCLUDED_CHARACTERS: Final = 8_000_000

# A match ends with its tag or with the text, so that matching takes linear time.
_TAG: Final = re.compile(r"\{%[-+]?\s*(?:include|extends|import|from)\b(.*?)(?:%\}|\Z)", re.DOTALL)
_TEMPLATE_ID: Final = re.compile(r"""["'](tpl_[0-7][0-9A-HJKMNP-TV-Z]{25})["']""")


class Includes(NamedTuple):
    """Sources by template id, and by the other ids the reason why they have none."""

    sources: Mapping[str, str] = {}
    problems: Mapping[str, str] = {}

    def to_json(self) -> dict[str, dict[str, str]]:
        """Return the JSON form, for the child process."""
        return {"sources": dict(self.sources), "problems": dict(self.problems)}

    @classmethod
    def from_json(cls, value: Mapping[str, Mapping[str, str]]) -> "Includes":
        """Read the JSON of `to_json`."""
        return cls(value["sources"], value["problems"])


def collect_includes(texts: Iterable[str], find: FindTemplateSource) -> Includes:
    """Return all templates that the texts include, extend or import, directly or indirectly.

    An id that cannot be included is no error yet: it may be in a branch that never runs.
    """
    sources: dict[str, str] = {}
    problems: dict[str, str] = {}
    remaining_characters = MAX_INCLUDED_CHARACTERS
    pending = [name for text in texts for name in included_template_ids(text)]
    for name in pending:  # The loop appends to the list.
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
        if len(source) > remaining_characters:
            problems[name] = (
                f"Included templates can have {MAX_INCLUDED_CHARACTERS:,} characters in all."
            )
            continue
        remaining_characters -= len(source)
        sources[name] = source
        pending.extend(included_template_ids(source))
    return Includes(sources, problems)


def included_template_ids(text: str) -> list[str]:
    """Return the ids of all templates that a text may include, extend or import directly."""
    if "tpl_" not in text:
        return []
    return [name for tag in _TAG.finditer(text) for name in _TEMPLATE_ID.findall(tag[1])]
