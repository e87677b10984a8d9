"""Servers of storage that all tests of a session share, and the stores in them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.builders.storage.real_stores import (
    RealStore,
    azure_store,
    gcs_store,
    s3_store,
    sftp_store,
)
from tests.builders.storage.servers import (
    SshServer,
    StorageServer,
    running_azure,
    running_google,
    running_s3,
    running_sshd,
)
from tests.fakes.ssh_server import FakeSshServer, ssh_server

KINDS = ("s3", "gcs", "azure_blob with a key", "azure_blob with a token", "sftp")


@pytest.fixture(scope="session")
def versitygw(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StorageServer]:
    with running_s3(tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(scope="session")
def azurite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StorageServer]:
    with running_azure(tmp_path_factory.mktemp("azure")) as server:
        yield server


@pytest.fixture(scope="session")
def fake_gcs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StorageServer]:
    with running_google(tmp_path_factory.mktemp("gcs")) as server:
        yield server


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    with running_sshd(tmp_path_factory.mktemp("sftp")) as server:
        yield server


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeSshServer]:
    """Give an SSH server whose files can fail."""
    with ssh_server(tmp_path) as running:
        yield running


@pytest.fixture
def store(request: pytest.FixtureRequest) -> RealStore:
    """Return the store of the kind that is the test's parameter."""
    match request.param:
        case "s3":
            return s3_store(request.getfixturevalue("versitygw"))
        case "gcs":
            return gcs_store(request.getfixturevalue("fake_gcs"))
        case "sftp":
            return sftp_store(request.getfixturevalue("sshd"))
        case kind:
            azurite = request.getfixturevalue("azurite")
            return azure_store(azurite, with_sas=kind.endswith("token"))
