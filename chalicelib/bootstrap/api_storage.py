"""Use cases of the API function for storage destinations."""

from typing import Literal

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.bootstrap.api_state import ApiState
from chalicelib.core.destinations import DestinationRules
from chalicelib.core.json import Json, JsonObject
from chalicelib.core.locked_property import LockedCachedProperty
from chalicelib.features.destinations.manage import CheckAddress, ManageDestinations
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.destinations.request_trial import RequestStorageTrial
from chalicelib.features.templates.compile_texts import CompileTexts


class StorageUseCases:
    """Use cases for storage destinations."""

    def __init__(self, state: ApiState, sealer: SecretSealer, rules: DestinationRules) -> None:
        """Seal credentials with `sealer`; addresses are checked by `rules`."""
        self._state = state
        self._sealer = sealer
        self._rules = rules
        self.destinations = Destinations(state.tables, state.settings.main_table)

    @LockedCachedProperty
    def manage(self) -> ManageDestinations:  # noqa: D102
        state = self._state
        return ManageDestinations(
            destinations=self.destinations,
            read_part=_read_part,
            check_address=CheckAddress(self._rules),
            compile_texts=CompileTexts(state.engine, state.leases, state.clock),
            sealer=self._sealer,
            clock=state.clock,
            ids=state.ids,
        )

    @LockedCachedProperty
    def request_trial(self) -> RequestStorageTrial:  # noqa: D102
        run_trial = self._state.make_run_trial(self._state.settings.upload_files_function)
        return RequestStorageTrial(self.destinations, run_trial)


def _read_part(
    kind: str, part: Literal["config", "credentials"], value: JsonObject
) -> dict[str, Json]:
    from chalicelib.contract.storage.kinds import read_kind_part  # noqa: PLC0415 -- pydantic

    return read_kind_part(kind, part, value)
