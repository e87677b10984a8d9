"""Stores of emails: where sends, their counts, connections and events are."""

from typing import NamedTuple, Self

from chalicelib.adapters.aws.table import Table
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.sends.counts.repository import SendCounts
from chalicelib.features.emails.sends.reports.repository import ProviderReports
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.events.repository import EventOutbox


class EmailStores(NamedTuple):
    """All stores that sending reads and writes."""

    table: Table
    sends: Sends
    reports: ProviderReports
    counts: SendCounts
    connections: EmailConnections
    outbox: EventOutbox

    @classmethod
    def over(cls, table: Table, outbox: EventOutbox) -> Self:
        """Return the stores over one table."""
        return cls(
            table,
            Sends(table=table),
            ProviderReports(table=table),
            SendCounts(table=table),
            EmailConnections(table=table),
            outbox,
        )
