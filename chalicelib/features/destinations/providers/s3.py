"""Amazon S3, and every store that speaks its protocol."""

from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from chalicelib.adapters.aws.session import RequestSignature
from chalicelib.adapters.net.egress import GuardedEgress
from chalicelib.core.egress_policy import ip_literal
from chalicelib.core.json import JsonObject
from chalicelib.features.destinations.outgoing import OpenStore, OutgoingFile
from chalicelib.features.destinations.providers.http_store import (
    StoreRequest,
    object_url,
    open_over,
)

_NOTHING: Final = sha256(b"").hexdigest()


def open_s3(egress: GuardedEgress) -> OpenStore:
    """Return the opening of sessions."""
    return open_over(egress, _S3)


class _S3:
    def __init__(self, config: JsonObject, credentials: JsonObject) -> None:
        self.url = _bucket_url(config)
        self._signature = RequestSignature(
            str(credentials["access_key_id"]),
            str(credentials["secret_access_key"]),
            "s3",
            str(config["region"]),
        )

    def put_request(self, file: OutgoingFile) -> StoreRequest:
        headers = {"Content-Type": file.content_type}
        return self._request("PUT", file.path, headers, file.sha256)

    def delete_request(self, path: str) -> StoreRequest:
        return self._request("DELETE", path, {}, _NOTHING)

    def _request(
        self, method: str, path: str, headers: dict[str, str], content_sha256: str
    ) -> StoreRequest:
        url = object_url(self.url, path)
        return StoreRequest(
            url, self._signature.object_headers(method, url, headers, content_sha256)
        )


def _bucket_url(config: JsonObject) -> str:
    bucket, region = str(config["bucket"]), str(config["region"])
    given = config.get("endpoint")
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    endpoint = str(given).rstrip("/") if given else f"https://s3.{region}.{suffix}"
    parts = urlsplit(endpoint)
    # No certificate covers a bucket with dots as a part of the host, and no address has parts.
    is_path = config.get("force_path_style") or "." in bucket or ip_literal(parts.hostname or "")
    return (
        f"{endpoint}/{bucket}"
        if is_path
        else f"{parts.scheme}://{bucket}.{parts.netloc}{parts.path}"
    )
