"""Test of a storage destination as the API function asks for it: it may not open credentials."""

from typing import Final, NamedTuple, Self, cast

import msgspec

from chalicelib.adapters.json_logs import propagated_ids
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.core.message_version import check_version
from chalicelib.features.destinations.repository import Destinations, destinations_partition
from chalicelib.features.workspaces.entitlements import require_feature
from chalicelib.features.workspaces.model import Workspace
from chalicelib.features.workspaces.trials.run import RunTrial

_VERSION: Final = 1


class DestinationTrial(NamedTuple):
    """Call of the function that uploads: the destination to test."""

    workspace_id: WorkspaceId
    destination_id: str

    @classmethod
    def from_json(cls, call: JsonObject) -> Self:
        """Read a call; raises UnknownVersion."""
        check_version(call, _VERSION, "a test of a storage destination")
        return cls(WorkspaceId(str(call["workspace_id"])), str(call["destination_id"]))

    def to_json(self) -> JsonObject:
        """Return the call."""
        return {"v": _VERSION, **self._asdict(), **propagated_ids()}


class RequestStorageTrial(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Use case: let the function that uploads test a destination, one of a workspace at a time.

    `run_trial` invokes the function that uploads.
    """

    destinations: Destinations
    run_trial: RunTrial

    def __call__(self, workspace: Workspace, destination_id: str) -> list[JsonObject]:
        """Test a destination and return the steps.

        Raises `not_found`, `plan_feature_unavailable`, `conflict` while another test runs, and
        `region_degraded`.
        """
        self.destinations.one(workspace.id, destination_id)
        require_feature(workspace, "storage", "")
        answer = self.run_trial(
            destinations_partition(workspace.id),
            DestinationTrial(workspace.id, destination_id).to_json(),
            "a storage destination",
        )
        return cast("list[JsonObject]", answer["steps"])
