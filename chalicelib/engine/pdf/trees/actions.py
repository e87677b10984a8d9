"""Actions of pages, annotations, fields and outline entries, each once."""

from collections.abc import Iterable, Iterator
from typing import Final

from pikepdf import Array, Dictionary, Object

from chalicelib.engine.pdf.trees.name_trees import dictionaries

_MAX_ACTIONS: Final = 1_000


def page_owners(pages: Iterable[Object]) -> Iterator[Object]:
    """Yield the owners of actions and destinations: the pages and their annotations."""
    for page in pages:
        yield page
        yield from dictionaries(page.get("/Annots"))


def actions_of(owner: Object) -> Iterator[Object]:
    """Yield the actions of an owner, and those that follow them."""
    triggers = owner.get("/AA")
    actions = triggers.as_dict().values() if isinstance(triggers, Dictionary) else ()
    yield from chained_actions(owner.get("/A"), *actions)


def chained_actions(*first: object) -> Iterator[Object]:
    """Yield actions, and those that follow them.

    Raises ValueError for a chain without an end.
    """
    waiting = [*first]
    for _ in range(_MAX_ACTIONS):
        if not waiting:
            return
        action = waiting.pop()
        if isinstance(action, Dictionary):
            yield action
            following = action.get("/Next")
            waiting += following.as_list() if isinstance(following, Array) else [following]
    message = "a chain of actions has no end"
    raise ValueError(message)
