"""Likely mistakes in the settings of a destination, for the answer of a test that fails."""

from typing import Final
from urllib.parse import urlsplit

from chalicelib.core.json import JsonObject

# Where people manage their stores, by their own log-in.
_CONSOLES: Final = (
    "console.aws.amazon.com",
    "portal.azure.com",
    "console.cloud.google.com",
    "dash.cloudflare.com",
    "cloud.digitalocean.com",
    "console.scaleway.com",
    "console.wasabisys.com",
)


def likely_mistake(config: JsonObject) -> str | None:
    """Return the likely mistake in an endpoint, or None if it shows none."""
    endpoint = config.get("endpoint")
    if not endpoint:
        return None
    parts = urlsplit(str(endpoint))
    host = parts.hostname or ""
    if any(host == console or host.endswith(f".{console}") for console in _CONSOLES):
        return "The endpoint is the address of a console, for people: enter that of the API."
    bucket = str(config.get("bucket") or config.get("container") or "")
    if bucket and (host.startswith(f"{bucket}.") or bucket in parts.path.split("/")):
        name = "bucket" if "bucket" in config else "container"
        return (
            f"The endpoint seems to contain the {name}, which is added to it: leave it out there."
        )
    return None
