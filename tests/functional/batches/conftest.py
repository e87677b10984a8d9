"""Fixtures of batches: plans with few renders at once."""

from typing import Any

import pytest

from chalicelib.features.workspaces.plans import PLANS
from tests.builders.batches import ChangePlan


@pytest.fixture
def change_plan(monkeypatch: pytest.MonkeyPatch) -> ChangePlan:
    """Give the change of a plan, which ends with the test."""

    def change(plan: str = "scale", **fields: Any) -> None:
        monkeypatch.setitem(PLANS, plan, PLANS[plan]._replace(**fields))

    return change
