"""Fetch of artifacts from Maven Central, each checked against its pinned SHA-256.

The client knows the address, so no file of this project names it. Runs with Python 3.9 too: the
set-up also fetches Python itself in this way.
"""

import hashlib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final, NamedTuple

from lxml import etree
from maven_artifact import Artifact as Coordinates
from maven_artifact import Downloader
from requests import RequestException

from layers.running import LayerError

_MAX_TRIES: Final = 3
_MAX_DOWNLOADS: Final = 4
# Values of `mirrorOf` in the settings of Maven that mean Maven Central.
_MIRRORED: Final = {"*", "external:*", "central"}


class Artifact(NamedTuple):
    """Coordinates (`group:artifact[:extension:classifier]:version`) and the SHA-256 of the file."""

    coordinates: str
    sha256: str

    @property
    def file_name(self) -> str:
        """Return the name of the file in the repository."""
        return str(self.client_coordinates.uri("").rpartition("/")[2])

    @property
    def client_coordinates(self) -> Coordinates:
        """Return the coordinates as the client takes them."""
        return Coordinates.parse(self.coordinates)


def fetch_artifacts(pins: Path, folder: Path) -> None:
    """Fetch into a folder what a list has, lines of SHA-256 and coordinates; raises LayerError."""
    lines = pins.read_text(encoding="utf-8").splitlines()
    rows = [line.split() for line in lines if not line.startswith("#")]
    with ThreadPoolExecutor(_MAX_DOWNLOADS) as pool:
        for running in [
            pool.submit(fetch_artifact, Artifact(coordinates, digest), folder)
            for digest, coordinates in rows
        ]:
            running.result()


def fetch_artifact(artifact: Artifact, folder: Path) -> Path:
    """Fetch the file of an artifact into a folder and return its path; raises LayerError."""
    mirror = _mirror_address(Path.home() / ".m2" / "settings.xml")
    client = Downloader(mirror) if mirror else Downloader()
    content = _fetch(client, client.resolver.uri_for_artifact(artifact.client_coordinates))
    digest = hashlib.sha256(content).hexdigest()
    if digest != artifact.sha256:
        message = f"{artifact.coordinates} is not the pinned file: its SHA-256 is {digest}"
        raise LayerError(message)
    target = folder / artifact.file_name
    target.write_bytes(content)
    return target


def _fetch(client: Downloader, address: str, tries: int = _MAX_TRIES) -> bytes:
    try:
        content: bytes = client.requestor.request(address, None, lambda answer: answer.content)
    except RequestException as error:
        if tries > 1:
            return _fetch(client, address, tries - 1)
        raise LayerError(f"{address}: {error}") from error
    return content


def _mirror_address(settings: Path) -> str:
    """Return the mirror of Maven Central that the user's settings of Maven name, or nothing."""
    if not settings.exists():
        return ""
    for mirror in etree.parse(settings).iterfind(".//{*}mirror"):
        mirrored = mirror.findtext("{*}mirrorOf", "").split(",")
        if _MIRRORED.intersection(part.strip() for part in mirrored):
            return mirror.findtext("{*}url", "").strip()
    return ""
