"""A batch of due items ends within the function's timeout, even if one item is slow."""

import pytest

from chalicelib.adapters.net import smtp
from chalicelib.features.maintenance import delete_workspace
from chalicelib.features.templates import handle_due as templates
from infra.template import load_template


@pytest.mark.parametrize(
    "seconds",
    [
        smtp._TIMEOUT_S,
        templates._TIME_LIMIT.total_seconds(),
        delete_workspace._TIME_LIMIT.total_seconds(),
    ],
    ids=["mails that nobody takes", "templates", "workspaces"],
)
def test_batch_of_slowest_items_ends_in_time(seconds: float) -> None:
    function = load_template()["Resources"]["MaintenanceFunction"]["Properties"]
    batch = function["Events"]["Due"]["Properties"]["BatchSize"]

    assert batch * seconds < 0.9 * function["Timeout"]
