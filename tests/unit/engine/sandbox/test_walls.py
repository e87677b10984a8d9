"""Walls: recorded behind the tenant wall, demanded where workspaces share an environment."""

import pytest

from chalicelib.engine.sandbox.walls import Walls, WallsMissingError


def test_missing_wall_is_refused_where_workspaces_share_the_environment() -> None:
    told: list[str] = []
    walls = Walls(on_missing=told.append)

    with pytest.raises(WallsMissingError, match="browser lacks a, b"):
        walls.admit("browser", ["b", "a"])
    walls.admit("another", [])

    assert (walls.missing, told) == (("a", "b"), ["a", "b"])


def test_missing_wall_is_told_once_behind_the_tenant_wall() -> None:
    told: list[str] = []
    walls = Walls(may_miss=True, on_missing=told.append)

    for missing in (["b"], ["a", "b"], []):
        walls.admit("browser", missing)

    assert (walls.missing, told) == (("a", "b"), ["b", "a"])
