"""The two calls of KMS that sealing makes, in memory."""

from typing import Any

from botocore.exceptions import ClientError

from chalicelib.adapters.aws.sealing import SecretSealer
from chalicelib.adapters.aws.session import AwsClients
from tests.fakes.api_services import FixedClock


class FakeKms:
    """KMS with the key `key-1`; `error` is raised by every call while it is set."""

    def __init__(self, *, ignores_context: bool = False) -> None:
        self.calls: list[str] = []
        self.error: Exception | None = None
        self._ignores_context = ignores_context
        self._keys: dict[bytes, tuple[bytes, Any]] = {}

    def generate_data_key(self, **request: Any) -> dict[str, Any]:
        self._called("GenerateDataKey")
        assert (request["KeyId"], request["KeySpec"]) == ("key-1", "AES_256")
        number = len(self._keys)
        wrapped, key = b"wrapped%d" % number, bytes([number % 256]) * 32
        self._keys[wrapped] = key, request["EncryptionContext"]
        return {"Plaintext": key, "CiphertextBlob": wrapped}

    def decrypt(self, **request: Any) -> dict[str, Any]:
        self._called("Decrypt")
        key, context = self._keys.get(request["CiphertextBlob"], (b"", None))
        if not key or (context != request["EncryptionContext"] and not self._ignores_context):
            raise kms_error("InvalidCiphertextException")
        return {"Plaintext": key}

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if self.error is not None:
            raise self.error


def kms_error(code: str, status: int = 400) -> ClientError:
    """Return the exception of boto3 for an error of KMS."""
    metadata: Any = {"HTTPStatusCode": status}
    return ClientError({"Error": {"Code": code}, "ResponseMetadata": metadata}, "Decrypt")


def sealer_over(kms: FakeKms, clock: FixedClock | None = None) -> SecretSealer:
    """Return a sealer with an empty cache."""
    clients = AwsClients()
    clients.__dict__["kms"] = kms
    return SecretSealer(clients, "key-1", clock or FixedClock())
