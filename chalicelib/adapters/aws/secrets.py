"""Secrets of the service in Secrets Manager, read again every few minutes."""

import datetime as dt
from typing import TYPE_CHECKING, Final

from chalicelib.adapters.aws.transient_errors import tolerate_transient
from chalicelib.core.clock import Clock

if TYPE_CHECKING:
    from chalicelib.adapters.aws.session import AwsClients

REFRESH_AFTER: Final = dt.timedelta(minutes=5)


class Secret:
    """One secret string; its name comes from the settings, its value is never logged."""

    def __init__(self, clients: "AwsClients", name: str, clock: Clock) -> None:
        """Bind to the secret of this name or ARN; nothing is read yet."""
        self._clients = clients
        self._name = name
        self._clock = clock
        self._cached: tuple[str, dt.datetime] | None = None

    @property
    def value(self) -> str:
        """Return the secret string, read again after REFRESH_AFTER."""
        now = self._clock.now()
        if self._cached is None:
            self._cached = self._read(), now
        elif now >= self._cached[1] + REFRESH_AFTER:
            # An outage of Secrets Manager must not end what works with the value of before.
            self._cached = self._cached[0], now
            with tolerate_transient("secret not refreshed"):
                self._cached = self._read(), now
        return self._cached[0]

    def replace(self, value: str) -> None:
        """Store another secret string, which other processes read within REFRESH_AFTER."""
        self._clients.secretsmanager.put_secret_value(SecretId=self._name, SecretString=value)
        self._cached = value, self._clock.now()

    def _read(self) -> str:
        return self._clients.secretsmanager.get_secret_value(SecretId=self._name)["SecretString"]
