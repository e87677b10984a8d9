"""Secrets of the service in Secrets Manager, read once per process."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import AwsClients


class Secret:
    """One secret string; its name comes from the settings, its value is never written anywhere."""

    def __init__(self, clients: "AwsClients", name: str) -> None:
        """Bind to the secret of this name or ARN; nothing is read yet."""
        self._clients = clients
        self._name = name

    @cached_property
    def value(self) -> bytes:
        """Return the secret's bytes, read at first use."""
        response = self._clients.secretsmanager.get_secret_value(SecretId=self._name)
        return response["SecretString"].encode()
