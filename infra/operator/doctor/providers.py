"""Reachability of the providers that workspaces have configured, by a connection only."""

import socket
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Final, NamedTuple
from urllib.parse import urlsplit

from chalicelib.core.json import JsonObject
from infra.operator.doctor.findings import Finding

_TIMEOUT_S: Final = 5.0
_AT_ONCE: Final = 16
_PORTS: Final = {"https": 443, "http": 80, "smtp": 587, "smtps": 465}
# By provider, where its settings name no address.
_URLS: Final[Mapping[str, str]] = {
    "brevo": "https://api.brevo.com",
    "postmark": "https://api.postmarkapp.com",
    "resend": "https://api.resend.com",
    "microsoft365": "https://graph.microsoft.com",
    "gcs": "https://storage.googleapis.com",
}


class Provider(NamedTuple):
    """Provider of a connection or destination: the address to reach, and who uses it."""

    host: str
    port: int
    user: str


def provider_of(
    kind: str, config: JsonObject, user: str, bases: Mapping[str, str]
) -> Provider | None:
    """Return the provider of a configuration; `bases` are URLs that settings give instead.

    The result is None for a kind that this release does not know.
    """
    if kind in {"smtp", "sftp"}:
        default = 587 if kind == "smtp" else 22
        return Provider(str(config["host"]), int(str(config.get("port") or default)), user)
    url = bases.get(kind) or _url_of(kind, config)
    return None if url is None else provider_at(url, user)


def provider_at(url: str, user: str) -> Provider | None:
    """Return the provider at a URL, or None if it names no host."""
    parts = urlsplit(url)
    if not parts.hostname or parts.scheme not in _PORTS:
        return None
    return Provider(parts.hostname, parts.port or _PORTS[parts.scheme], user)


def _url_of(kind: str, config: JsonObject) -> str | None:
    endpoint = config.get("endpoint")
    match kind:
        case "s3" | "azure_blob" if endpoint:
            return str(endpoint)
        case "s3":
            region = str(config["region"])
            suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
            return f"https://s3.{region}.{suffix}"
        case "azure_blob":
            return f"https://{config['account']}.blob.core.windows.net"
        case "ses":
            return f"https://email.{config['region']}.amazonaws.com"
        case _:
            return _URLS.get(kind)


def check_providers(providers: Iterable[Provider]) -> Iterator[Finding]:
    """Yield whether each address can be connected to; nothing is sent there."""
    users: dict[tuple[str, int], list[str]] = {}
    for provider in providers:
        users.setdefault((provider.host, provider.port), []).append(provider.user)
    if not users:
        yield Finding("providers", "ok", "none is configured")
        return
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        reasons = threads.map(_unreachable, users)
        for (address, names), reason in zip(users.items(), reasons, strict=True):
            yield _finding(f"{address[0]}:{address[1]}", names, reason)


def _finding(address: str, names: list[str], reason: str | None) -> Finding:
    more = f" and {len(names) - 1} more" if len(names) > 1 else ""
    detail = f"{address}, of {names[0]}{more}"
    if reason is None:
        return Finding("providers", "ok", detail)
    return Finding(
        "providers",
        "error",
        f"{detail}: {reason}",
        "check the name, and that the firewall of this machine lets connections to it out",
    )


def _unreachable(address: tuple[str, int]) -> str | None:
    try:
        socket.create_connection(address, timeout=_TIMEOUT_S).close()
    except OSError as error:
        return error.strerror or str(error)
    return None
