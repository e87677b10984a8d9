"""Actions of pages, annotations, fields and outline entries, each once."""

from collections.abc import Iterable, Iterator
from typing import Final

from pikepdf import Array, Dictionary, Object

from chalicelib.engine.combining.item_trees import dictionaries

_MAX_ACTIONS: Final = 1_000


def page_owners(pages: Iterable[Object]) -> Iterator[Object]:
    """Yield the pages and their annotations: what may have actions and destinations."""
    for page in pages:
        yield page
        yield from dictionaries(page.get("/Annots"))


def actions_of(owner: Object) -> Iterator[Object]:
    """Yield the actions of an owner, and those that follow them.

    Raises ValueError for a chain without an end.
    """
    actions = [owner.get("/A")]
    triggers = owner.get("/AA")
    if isinstance(triggers, Dictionary):
        actions += list(triggers.as_dict().values())
    visited = 0
    while actions:
        action = actions.pop()
        visited += 1
        if visited > _MAX_ACTIONS:
            message = "a chain of actions has no end"
            raise ValueError(message)
        if isinstance(action, Dictionary):
            following = action.get("/Next")
            actions += following.as_list() if isinstance(following, Array) else [following]
            yield action
