"""Fetch of artifacts from Maven Central."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

import pytest
from maven_artifact import Requestor
from requests import ConnectionError as NoConnection

from layers.maven import Artifact, fetch_artifact
from layers.running import LayerError

PINNED = Artifact("org.x:y:jar:data:1.2", hashlib.sha256(b"content").hexdigest())
SETTINGS = """
<settings xmlns="http://maven.apache.org/SETTINGS/1.2.0"><mirrors>
 <mirror><mirrorOf>other</mirrorOf><url>https://other.test/m2</url></mirror>
 <mirror><mirrorOf>{mirrored}</mirrorOf><url>https://mirror.test/m2/</url></mirror>
</mirrors></settings>"""


@pytest.fixture
def addresses(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """Return the addresses that were asked for; the second answer is the content."""
    asked: list[str] = []

    def request(_self: Requestor, address: str, *_callbacks: object) -> bytes:
        asked.append(address)
        if len(asked) == 1:
            raise NoConnection("refused")
        return b"content"

    monkeypatch.setattr(Requestor, "request", request)
    monkeypatch.setenv("HOME", str(tmp_path))
    return asked


def test_artifact_is_fetched_and_tried_again(addresses: Sequence[str], tmp_path: Path) -> None:
    fetched = fetch_artifact(PINNED, tmp_path)

    assert (fetched.name, fetched.read_bytes()) == ("y-1.2-data.jar", b"content")
    assert len(addresses) == 2
    assert all(address.endswith("/org/x/y/1.2/y-1.2-data.jar") for address in addresses)


@pytest.mark.usefixtures("addresses")
def test_artifact_that_is_not_the_pinned_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LayerError, match="not the pinned file"):
        fetch_artifact(PINNED._replace(sha256="0"), tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_registry_that_does_not_answer_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def refuse(*_arguments: object) -> bytes:
        raise NoConnection("refused")

    monkeypatch.setattr(Requestor, "request", refuse)

    with pytest.raises(LayerError, match=r"y-1\.2-data\.jar: refused"):
        fetch_artifact(PINNED, tmp_path)


@pytest.mark.parametrize(
    ("mirrored", "is_used"),
    [("central", True), ("*", True), ("others, central", True), ("others", False)],
)
def test_mirror_of_the_settings_of_maven_is_used(
    addresses: Sequence[str], tmp_path: Path, mirrored: str, *, is_used: bool
) -> None:
    (tmp_path / ".m2").mkdir()
    (tmp_path / ".m2" / "settings.xml").write_text(SETTINGS.format(mirrored=mirrored))

    fetch_artifact(PINNED, tmp_path)

    mirror = "https://mirror.test/m2/org/x/y/1.2/y-1.2-data.jar"
    assert (addresses[0] == mirror) == is_used
