"""Addresses at which clients reach the service of this machine, from its environment."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self
from urllib.parse import urlsplit

from chalicelib.core.trusted_proxies import TrustedProxies
from infra.local.access.hosts import OwnHosts

_BASE_URL: Final = "PLATEN_BASE_URL"
_FILES_HOST: Final = "PLATEN_FILES_HOST"
# Of the path of a base URL, whose segments need no percent-encoding.
_PATH: Final = re.compile(r"(/[A-Za-z0-9._~-]+)*")


class AddressError(Exception):
    """A variable holds no usable URL; the message names it and says what is."""


@dataclass(frozen=True, slots=True)
class PublicAddresses:
    """URLs of the API without `/v1`, of files, and of the port itself; none ends with a slash."""

    api_host: str
    files_host: str
    own_url: str

    @classmethod
    def from_variables(
        cls, variables: Mapping[str, str], own_url: str, reached_at: str | None = None
    ) -> Self:
        """Read PLATEN_BASE_URL and PLATEN_FILES_HOST; raises AddressError.

        If the first is not set, it is that of `reached_at`, by default the own URL. Without the
        second it is the host of the first.
        """
        base_url = variables.get(_BASE_URL) or f"{reached_at or own_url}/v1"
        api_host = _check_url(_BASE_URL, base_url, "https://api.example.com/v1").removesuffix("/v1")
        if f"{api_host}/v1" != base_url.rstrip("/"):
            raise AddressError(f"{_BASE_URL}={base_url} does not end with /v1")
        files_host = variables.get(_FILES_HOST) or _origin(api_host)
        files_host = _check_url(_FILES_HOST, files_host, "https://files.example.com")
        if files_host != _origin(files_host):
            raise AddressError(f"{_FILES_HOST}={files_host} has a path; a host of files has none")
        return cls(api_host, files_host, own_url)

    @property
    def base_path(self) -> str:
        """Path before `/v1` in the URL of the API, which may be empty."""
        return urlsplit(self.api_host).path

    @property
    def hosts(self) -> OwnHosts:
        """Hosts that the port of the service answers to."""
        urls = (self.api_host, self.files_host)
        return OwnHosts(urlsplit(url).hostname or "" for url in urls)


def public_addresses(own_url: str, reached_at: str | None = None) -> PublicAddresses:
    """Return the addresses that this process's environment names; raises AddressError.

    PLATEN_TRUSTED_PROXIES is checked with them, which only the API function reads.
    """
    try:
        TrustedProxies(os.environ.get("PLATEN_TRUSTED_PROXIES", ""))
    except ValueError as error:
        raise AddressError(str(error)) from error
    return PublicAddresses.from_variables(os.environ, own_url, reached_at)


def _check_url(variable: str, url: str, example: str) -> str:
    """Return a URL without a slash at its end; raises AddressError where no client can use it."""
    fault = f"{variable}={url} is no URL like {example}"
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise AddressError(f"{fault}: {error}") from error
    usable = (
        parts.scheme in {"http", "https"}
        and parts.hostname
        and port != 0
        and not (parts.query or parts.fragment or parts.username or parts.password)
        and url == url.strip()
        and _PATH.fullmatch(parts.path.rstrip("/"))
    )
    if not usable:
        raise AddressError(fault)
    return f"{_origin(url)}{parts.path.rstrip('/')}"


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
