"""Stores of emails: where sends, their counts, connections and events are."""

from typing import NamedTuple, Self

from chalicelib.adapters.aws.table import Tables
from chalicelib.features.emails.connections.repository import EmailConnections
from chalicelib.features.emails.sends.counts.repository import SendCounts
from chalicelib.features.emails.sends.reports.repository import ProviderReports
from chalicelib.features.emails.sends.repository import Sends
from chalicelib.features.events.repository import EventOutbox


class EmailStores(NamedTuple):
    """All stores that sending reads and writes."""

    tables: Tables
    table: str
    sends: Sends
    reports: ProviderReports
    counts: SendCounts
    connections: EmailConnections
    outbox: EventOutbox

    @classmethod
    def over(cls, tables: Tables, table: str, outbox: EventOutbox) -> Self:
        """Return the stores over one table."""
        return cls(
            tables,
            table,
            Sends(tables, table),
            ProviderReports(tables, table),
            SendCounts(tables, table),
            EmailConnections(tables, table),
            outbox,
        )
