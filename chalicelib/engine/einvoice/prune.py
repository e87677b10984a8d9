"""What a profile has no place for is left out of the tree."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any, Final

from chalicelib.engine.einvoice.xmlwrite import Node

type Elements = Mapping[str, Elements | None]
"""The elements that are allowed, each with its own; None stands for a value."""

# Factur-X knows it without content only (MINIMUM), and wants it everywhere.
_KEPT_EMPTY: Final = "ram:ApplicableHeaderTradeDelivery"


def prune(root: Node, elements: Elements) -> Node:
    """Return the tree with those elements only that the profile knows."""
    return root._replace(children=_children(root.children, elements))


def elements_of(profile: str) -> Elements:
    """Return what a profile allows."""
    elements: Elements = _table()["profiles"][profile]
    return elements


@cache
def _table() -> dict[str, Any]:
    source = files("chalicelib.engine.einvoice").joinpath("cii_elements.json")
    table: dict[str, Any] = json.loads(source.read_text(encoding="utf-8"))
    return table


def _children(nodes: Sequence[Node], elements: Elements) -> list[Node]:
    kept: list[Node] = []
    for node in nodes:
        tag = node.tag
        if tag not in elements:
            continue
        within = elements[tag]
        if within is None:
            kept.append(node)
            continue
        children = _children(node.children, within)
        if children or tag == _KEPT_EMPTY:
            kept.append(Node(tag, None, node.attributes, children))
    return kept
