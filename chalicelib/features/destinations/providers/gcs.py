"""Google Cloud Storage, with the keys of its interoperability and its own names in signatures."""

from collections.abc import Mapping
from typing import Final

from chalicelib.adapters.aws.session import GOOGLE_DIALECT, RequestSignature
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.outgoing import OpenStore, OutgoingFile
from chalicelib.features.destinations.providers.http_store import (
    StoreRequest,
    object_url,
    open_over,
)

_BASE: Final = "https://storage.googleapis.com"
# Google takes any region in a signature.
_REGION: Final = "auto"


def open_gcs(egress: GuardedEgress, base: str) -> OpenStore:
    """Return the opening of sessions; an empty `base` is Google's own address."""
    return open_over(egress, lambda config, credentials: _Gcs(base or _BASE, config, credentials))


class _Gcs:
    def __init__(self, base: str, config: JsonObject, credentials: JsonObject) -> None:
        self.url = f"{base.rstrip('/')}/{config['bucket']}"
        self._signature = RequestSignature(
            str(credentials["access_key_id"]),
            str(credentials["secret_access_key"]),
            "storage",
            _REGION,
        )

    def put_request(self, file: OutgoingFile) -> StoreRequest:
        headers = {"Content-Type": file.content_type, "X-Goog-Content-Sha256": file.sha256}
        return self._request("PUT", file.path, headers)

    def delete_request(self, path: str) -> StoreRequest:
        return self._request("DELETE", path, {})

    def _request(self, method: str, path: str, headers: Mapping[str, str]) -> StoreRequest:
        signed = self._signature.object_url(
            GOOGLE_DIALECT, method, object_url(self.url, path), headers
        )
        return StoreRequest(signed, headers)
