"""Changed address of stored credentials: the request that changes it brings them."""

from typing import Final

from chalicelib.core.errors import validation_error
from chalicelib.core.json import JsonObject

# Settings that say who gets the credentials, of email connections and storage destinations.
_ADDRESS_FIELDS: Final = ("host", "port", "username", "endpoint", "account", "host_key")


def check_address_change(before: JsonObject, after: JsonObject) -> None:
    """Raise `validation_error` at `/credentials` if settings send stored credentials elsewhere."""
    changed = [name for name in _ADDRESS_FIELDS if before.get(name) != after.get(name)]
    if changed:
        message = (
            f"are required with another {', '.join(changed)}: the stored ones are not sent to an "
            "address that was set without them"
        )
        raise validation_error("/credentials", message, "required")
