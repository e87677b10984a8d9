"""The rendering engines that a request can name."""

from typing import Literal

from chalicelib.contract.base import Model


class Engine(Model):
    """A rendering engine."""

    id: str
    """What `engine` of a request names."""
    object: Literal["engine"]
    chromium_version: str
    """The Chromium that draws its pages."""
    state: Literal["current", "deprecated"]
    """`current`: what a render that names no engine uses. `deprecated`: still there, but not for
    long."""


class EngineList(Model):
    """All rendering engines, newest first."""

    object: Literal["list"]
    data: list[Engine]
    has_more: bool
    next_cursor: str | None
