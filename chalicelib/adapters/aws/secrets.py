"""Secrets Manager: the service's own secrets, read once a process."""

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import AwsClients


class Secret:
    """One secret string, named by settings and never written anywhere."""

    def __init__(self, clients: "AwsClients", name: str) -> None:
        """Read the secret of this name or ARN when it is first needed."""
        self._clients = clients
        self._name = name

    @cached_property
    def value(self) -> bytes:
        """Return the secret's bytes."""
        answer = self._clients.secretsmanager.get_secret_value(SecretId=self._name)
        return answer["SecretString"].encode()
