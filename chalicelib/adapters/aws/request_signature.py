"""Signature of a request to AWS with the keys of somebody else (Signature Version 4)."""

from collections.abc import Mapping


class RequestSignature:
    """Signer with the keys of one account, for a service of one region."""

    def __init__(self, key_id: str, secret: str, service: str, region: str) -> None:
        """Sign with the key `key_id`."""
        self._key_id = key_id
        self._secret = secret
        self._service = service
        self._region = region

    def headers(self, method: str, url: str, content: bytes) -> Mapping[str, str]:
        """Return the headers that sign a request, which is valid for some minutes."""
        # botocore is imported with the first call, not with this module (decision 7).
        from botocore.auth import SigV4Auth  # noqa: PLC0415
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415
        from botocore.credentials import Credentials  # noqa: PLC0415

        request = AWSRequest(method, url, data=content)
        credentials = Credentials(self._key_id, self._secret)
        SigV4Auth(credentials, self._service, self._region).add_auth(request)
        return {name: str(value) for name, value in request.headers.items()}
