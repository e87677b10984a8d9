"""Parts of the service that `platen doctor` asks, and the configurations of providers."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Final

from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.queues import Queue
from chalicelib.adapters.aws.secrets import Secret
from chalicelib.adapters.aws.session import AwsClients
from chalicelib.adapters.aws.table import Table
from chalicelib.adapters.net.smtp import NO_SERVER
from chalicelib.core.clock import Clock
from chalicelib.features.destinations.model import StorageDestination
from chalicelib.features.destinations.repository import Destinations
from chalicelib.features.emails.connections.model import EmailConnection
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.workspaces.repository import Workspaces
from chalicelib.settings import DoctorSettings

_BASES: Final = ("brevo", "postmark", "resend", "ses", "microsoft365")


class DoctorService:
    """Service as its operator sees it from outside."""

    def __init__(self, settings: DoctorSettings, clients: AwsClients, clock: Clock) -> None:
        """Ask nothing yet."""
        self._settings = settings
        self._table = Table(clients, settings.main_table)
        self._secret = Secret(clients, settings.smtp_secret, clock)
        transient = Table(clients, settings.transient_table)
        objects = Objects(clients, settings.bucket)
        queue = Queue(clients, settings.renders_queue_url)
        self.parts: Final[Mapping[str, Callable[[], object]]] = {
            "table: main": partial(self._table.get, "HEALTH"),
            "table: transient": partial(transient.get, "HEALTH"),
            # There is no such object. Only a read tells an absent bucket from it.
            "bucket": partial(objects.get, "ws/HEALTH"),
            "queues": queue.approximate_message_count,
        }

    @property
    def bases(self) -> Mapping[str, str]:
        """Return the URLs that settings give to providers, by their names."""
        emails = {name: getattr(self._settings, f"email_base_{name}") for name in _BASES}
        return {**emails, "gcs": self._settings.storage_base_gcs}

    def mail_server(self) -> str | None:
        """Return the URL of the mail server for mail to owners, or None if there is none."""
        url = self._settings.smtp_url or self._secret.value
        return None if url == NO_SERVER else url

    def configurations(self) -> Iterator[EmailConnection | StorageDestination]:
        """Yield the email connections and storage destinations of all workspaces."""
        connections = EmailConnections(table=self._table)
        destinations = Destinations(table=self._table)
        for workspace in Workspaces(table=self._table).all():
            yield from connections.all(workspace.id)
            yield from destinations.all(workspace.id)
