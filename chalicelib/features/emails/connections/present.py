"""Email connection as the API shows it."""

from collections.abc import Mapping, Sequence

from chalicelib.features.emails.connections.model import EmailConnection


def connection_json(
    connection: EmailConnection, egress_ips: Sequence[str], region: str
) -> Mapping[str, object]:
    """Return a connection without its credentials; `region` is that of its registration."""
    return {
        "id": connection.id,
        "object": "email_connection",
        "name": connection.name,
        "provider": connection.provider,
        "status": "failing" if connection.last_error else "active",
        "credentials": {"configured": connection.sealed_credentials is not None},
        "credentials_delete_at": connection.credentials_delete_at,
        "default_from": connection.default_from,
        "reply_to": connection.reply_to,
        "test_mode": connection.test_mode,
        "test_recipient": connection.test_recipient,
        "config": connection.config,
        "events": {region: connection.event_registration} if connection.event_registration else {},
        "senders": list(connection.senders),
        "egress_ips": list(egress_ips),
        "last_test_at": connection.last_test_at,
        "last_test_status": connection.last_test_status,
        "last_error": connection.last_error,
        "created_at": connection.created_at,
        "updated_at": connection.updated_at,
    }
