"""A batch of what is due ends within its function's time: one that is slow harms no other of it."""

import pytest

from chalicelib.adapters.net import smtp
from chalicelib.features.templates import upkeep as templates
from chalicelib.features.upkeep import workspaces
from infra.template import load


@pytest.mark.parametrize(
    "seconds",
    [
        smtp._TIMEOUT_S,
        templates._WORKS_FOR.total_seconds(),
        workspaces._WORKS_FOR.total_seconds(),
    ],
    ids=["mails that nobody takes", "templates", "workspaces"],
)
def test_batch_of_the_slowest_ends_in_time(seconds: float) -> None:
    function = load()["Resources"]["UpkeepFunction"]["Properties"]
    batch = function["Events"]["Due"]["Properties"]["BatchSize"]

    assert batch * seconds < 0.9 * function["Timeout"]
