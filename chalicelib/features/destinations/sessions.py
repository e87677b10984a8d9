"""Sessions with the stores of destinations, whose credentials are opened for them."""

from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import cast

import msgspec

from chalicelib.adapters.aws.sealing import SealBrokenError, SecretSealer
from chalicelib.core import json
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.outgoing import OpenStore, StoreSession, UploadFailedError


class StoreSessions(msgspec.Struct, frozen=True, kw_only=True, eq=False):
    """Opening of sessions by the provider of a destination, in the function that uploads."""

    sealer: SecretSealer
    openers: Mapping[str, OpenStore]

    def open(
        self, destination: StorageDestination, timeout_s: float
    ) -> AbstractContextManager[StoreSession]:
        """Return the session with a destination's store.

        Each call of the session takes `timeout_s` at most. Raises UploadFailedError
        (`storage_denied`) without credentials.
        """
        credentials = self._credentials(destination)
        return self.openers[destination.provider](destination, credentials, timeout_s)

    def _credentials(self, destination: StorageDestination) -> JsonObject:
        message = "The destination has no credentials: change it with some."
        if destination.sealed_credentials is None:
            raise UploadFailedError("storage_denied", message, is_final=True)
        try:
            opened = self.sealer.open(destination.sealed_credentials, destination.credentials_place)
        except SealBrokenError as broken:
            raise UploadFailedError("storage_denied", message, is_final=True) from broken
        return cast("JsonObject", json.loads_own(opened))
