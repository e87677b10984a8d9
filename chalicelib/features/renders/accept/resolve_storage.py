"""Storage targets of a render: those that the request names, or the workspace's default one."""

from collections.abc import Callable, Mapping, Sequence
from copy import replace
from typing import Final, NamedTuple

import msgspec

from chalicelib.core.errors import raise_all, validation_error
from chalicelib.core.ids import WorkspaceId
from chalicelib.core.json import JsonObject
from chalicelib.engine.delivery.storage import StorageTarget, StorageTargets
from chalicelib.features.renders.accept.command import RenderCommand
from chalicelib.features.renders.accept.delivery import (
    DeliveryPolicy,
    RequestedStorage,
    delivery_policy,
)

# The render exists only later; `job_with_context` fills it in.
_NO_CONTEXT: Final[JsonObject] = {}
# Renders of these go to the default destination.
_DEFAULT_SOURCES: Final = frozenset({"api", "batch"})


class KnownDestination(NamedTuple):
    """Part of a destination that a render needs; `path_template` is a template source."""

    path_template: str
    keep_hosted_copy: bool


# Returns those of these destinations that exist, by id.
type FindDestinations = Callable[[WorkspaceId, Sequence[str]], Mapping[str, KnownDestination]]


class ResolveStorage(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Resolver that puts the storage targets of a command into its job."""

    find: FindDestinations

    def __call__(self, command: RenderCommand) -> RenderCommand:
        """Return the command with its storage targets, and its policy as these make it.

        Raises `validation_error` for a destination that does not exist, and for zero retention
        where the files would go nowhere.
        """
        requested = command.delivery_policy.request.storage
        if requested is None:
            return self._with_default(command)
        if requested and "storage" in command.workspace.plan.features:
            # The check of the plan refuses them where it has none.
            return self._with_targets(command, requested, is_requested=True)
        return _require_way_out(command)

    def _with_default(self, command: RenderCommand) -> RenderCommand:
        destination_id = command.workspace.default_destination_id
        is_for_default = command.key_mode == "live" and command.source in _DEFAULT_SOURCES
        if destination_id is None or not is_for_default:
            return _require_way_out(command)
        if "storage" not in command.workspace.plan.features:
            omitted = StorageTargets(_NO_CONTEXT, (), omission="plan")
            return _require_way_out(_with_storage(command, omitted))
        default = RequestedStorage(destination_id)
        return self._with_targets(command, [default], is_requested=False)

    def _with_targets(
        self, command: RenderCommand, requested: Sequence[RequestedStorage], *, is_requested: bool
    ) -> RenderCommand:
        ids = sorted({each.destination_id for each in requested})
        known = self.find(command.workspace.id, ids)
        raise_all(
            validation_error(
                f"/delivery/storage/{n}/destination_id",
                "is none of the workspace's storage destinations",
                "not_found",
            )
            for n, each in enumerate(requested)
            if is_requested and each.destination_id not in known
        )
        targets: list[StorageTarget] = []
        copies: list[bool] = []
        for each in requested:
            found = known.get(each.destination_id)
            if found is None:
                # The default one was deleted meanwhile.
                continue
            path = found.path_template if each.path is None else each.path
            targets.append(StorageTarget(destination_id=each.destination_id, path=path))
            own = each.keep_hosted_copy
            copies.append(found.keep_hosted_copy if own is None else own)
        if not targets:
            return _require_way_out(command)
        # An address was requested, and the destination was not.
        is_url = not is_requested and command.delivery_policy.request.type == "url"
        policy = _policy(command, requested, keeps_copy=any(copies) or is_url)
        storage = StorageTargets(_NO_CONTEXT, tuple(targets))
        return _with_storage(replace(command, delivery_policy=policy), storage)


def _policy(
    command: RenderCommand, storage: Sequence[RequestedStorage], *, keeps_copy: bool
) -> DeliveryPolicy:
    """Return the policy of a command; unless it says otherwise the targets decide on the copy."""
    request = command.delivery_policy.request._replace(storage=tuple(storage))
    if request.hosted is None:
        request = request._replace(hosted=keeps_copy)
    return delivery_policy(request, command.mode, command.job)


def _with_storage(command: RenderCommand, storage: StorageTargets) -> RenderCommand:
    return replace(command, job=msgspec.structs.replace(command.job, storage=storage))


def _require_way_out(command: RenderCommand) -> RenderCommand:
    """Return a command without targets; raise `validation_error` if its files go nowhere."""
    policy = command.delivery_policy
    if policy.zero_retention and policy.type not in {"binary", "base64"}:
        message = (
            "with retention none the files would go nowhere: send type binary or base64, or name "
            "a storage destination"
        )
        raise validation_error("/delivery/retention", message, "not_allowed")
    return command
