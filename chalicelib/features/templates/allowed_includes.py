"""Check of requests of a key with a template allowlist: they include templates of its list only.

A stored source runs later without a check, so every request that is run or stored comes here first.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Final

from chalicelib.core.errors import FieldError, Forbidden, json_pointer
from chalicelib.core.json import Json
from chalicelib.engine.templating.includes import included_template_ids

_CODE: Final = "template_not_allowed_for_key"


def check_includes(sent: Json, pointer: str, allowed: Collection[str]) -> None:
    """Raise `template_not_allowed_for_key` for a text that may include another template.

    `sent` stands at `pointer` in the request. Tags with `ignore missing` count, and those that
    might never run. No `allowed`: the key may use all templates.
    """
    if not allowed:
        return
    for steps, text in _texts(sent):
        for name in included_template_ids(text):
            if name not in allowed:
                detail = (
                    f"This key may use the templates of its allowlist only. Take {name} out of "
                    f"{json_pointer(steps, pointer)}, or send it with a key that may use it."
                )
                errors = [FieldError(json_pointer(steps, pointer), _CODE, detail)]
                raise Forbidden(_CODE, detail, errors=errors)


def _texts(value: Json) -> Iterator[tuple[tuple[str | int, ...], str]]:
    """Yield the strings in a JSON value with the steps to them."""
    if isinstance(value, str):
        yield (), value
        return
    members: Iterator[tuple[str | int, Json]] = iter(())
    if isinstance(value, Mapping):
        members = iter(value.items())
    elif isinstance(value, list | tuple):
        members = iter(enumerate(value))
    for step, member in members:
        for steps, text in _texts(member):
            yield (step, *steps), text
