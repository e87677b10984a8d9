"""Azure Blob Storage: one `Put Blob`, with a shared key or a SAS token.

Shared keys are signed here: Azure's own libraries sign only requests that they send themselves,
and nothing but the egress client may reach an address that a tenant has entered.
"""

import base64
import hmac
from email.utils import formatdate
from typing import Final
from urllib.parse import urlsplit

from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.outgoing import OpenStore, OutgoingFile
from chalicelib.features.destinations.providers.http_store import (
    StoreRequest,
    object_url,
    open_over,
)

_VERSION: Final = "2023-11-03"


def open_azure_blob(egress: GuardedEgress) -> OpenStore:
    """Return the opening of sessions."""
    return open_over(egress, _AzureBlob)


class _AzureBlob:
    def __init__(self, config: JsonObject, credentials: JsonObject) -> None:
        self._account = str(config["account"])
        endpoint = config.get("endpoint") or f"https://{self._account}.blob.core.windows.net"
        self.url = f"{str(endpoint).rstrip('/')}/{config['container']}"
        self._credentials = credentials

    def put_request(self, file: OutgoingFile) -> StoreRequest:
        headers = {"Content-Type": file.content_type, "x-ms-blob-type": "BlockBlob"}
        return self._request("PUT", file.path, headers, file.bytes)

    def delete_request(self, path: str) -> StoreRequest:
        return self._request("DELETE", path, {}, 0)

    def _request(
        self, method: str, path: str, headers: dict[str, str], length: int
    ) -> StoreRequest:
        url = object_url(self.url, path)
        headers |= {"x-ms-date": formatdate(usegmt=True), "x-ms-version": _VERSION}
        account_key = self._credentials.get("account_key")
        if not account_key:
            return StoreRequest(f"{url}?{self._credentials['sas_token']}", headers)
        text = _text_to_sign(method, f"/{self._account}{urlsplit(url).path}", headers, length)
        digest = hmac.digest(base64.b64decode(str(account_key)), text.encode(), "sha256")
        headers["Authorization"] = f"SharedKey {self._account}:{base64.b64encode(digest).decode()}"
        return StoreRequest(url, headers)


def _text_to_sign(method: str, resource: str, headers: dict[str, str], length: int) -> str:
    """Return the text that a shared key signs, for requests without a query.

    Its twelve lines are those of "Authorize with Shared Key", version 2015-02-21 and later; those
    of headers that are not sent are empty, and so is a length of zero.
    """
    own = sorted(name for name in headers if name.startswith("x-ms-"))
    return "\n".join(
        [
            method,
            "",  # Content-Encoding
            "",  # Content-Language
            str(length or ""),
            "",  # Content-MD5
            headers.get("Content-Type", ""),
            *[""] * 6,  # Date, the four conditions, Range
            *(f"{name}:{headers[name]}" for name in own),
            resource,
        ]
    )
