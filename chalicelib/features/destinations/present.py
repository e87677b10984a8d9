"""Storage destinations as the API shows them."""

from collections.abc import Mapping

from chalicelib.features.destinations.model import StorageDestination


def destination_json(destination: StorageDestination) -> Mapping[str, object]:
    """Return a destination without its credentials."""
    return {
        "id": destination.id,
        "object": "storage_destination",
        "name": destination.name,
        "provider": destination.provider,
        "path_template": destination.path_template,
        "keep_hosted_copy": destination.keep_hosted_copy,
        "is_default": destination.is_default,
        "config": destination.config,
        "credentials": {"configured": destination.sealed_credentials is not None},
        "status": "failing" if destination.last_error else "active",
        "last_error": destination.last_error,
        "last_test_at": destination.last_test_at,
        "last_test_status": destination.last_test_status,
        "created_at": destination.created_at,
        "updated_at": destination.updated_at,
    }
