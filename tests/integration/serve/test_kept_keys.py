"""Keys and secrets in a folder: read by later releases, on the disk before an answer, never new."""

import base64
import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from infra.local.access.keys import AccessKey
from infra.local.emulators import StackError, client_factory, start_ministack
from infra.local.paths import StackFolder
from infra.local.processes import Spawner

pytestmark = pytest.mark.integration
# Written by MiniStack 1.5.33, as the first durable release pinned it.
FIRST: Final = Path(__file__).parent / "keys"
WRAPPED: Final = (
    "NTg5ZTJjMjQtNzEwMC00ZDhmLWI4YWUtNzIzZjgyZGYwNzJlEW8G19Y1tN9nHbf+lT7Zo1JbVpZFRpNEWlqJ+hiE2ODA"
    "yKM8c4ZC0YLfDn/Oz0Vd2aytClTi61xfr/nXfzP+10dJhauaqJM62lLwDJEA0f4="
)
PLAIN: Final = "8MtY6WNxjIRZ61alIMC0NQsTPb4xapLR+Mr1pNDl6G8="
CONTEXT: Final = {"workspace": "ws_1", "field": "secret"}

type Clients = Callable[[str], Any]


@contextmanager
def ministack(folder: StackFolder) -> Iterator[Clients]:
    key = AccessKey.random()
    with ExitStack() as cleanup:
        spawner = Spawner()
        cleanup.callback(spawner.close)
        cleanup.callback(shutil.rmtree, folder.scratch, ignore_errors=True)
        emulator = start_ministack(folder, spawner, key)
        # As everything is stopped: killed.
        cleanup.callback(emulator.stop)
        emulator.wait()
        yield client_factory({"AWS_ENDPOINT_URL": emulator.url, **key.variables()})


@pytest.fixture
def folder(tmp_path: Path) -> StackFolder:
    return StackFolder(tmp_path, is_kept=True)


def test_keys_of_the_first_durable_release_are_read(folder: StackFolder) -> None:
    shutil.copytree(FIRST, folder.keys)

    with ministack(folder) as clients:
        opened = clients("kms").decrypt(
            CiphertextBlob=base64.b64decode(WRAPPED), EncryptionContext=CONTEXT
        )
        secret = clients("secretsmanager").get_secret_value(SecretId="platen-signingsecret")

    assert base64.b64encode(opened["Plaintext"]).decode() == PLAIN
    assert secret["SecretString"] == "signed once"


def test_change_is_on_the_disk_before_its_answer(folder: StackFolder) -> None:
    with ministack(folder) as clients:
        kms, secrets = clients("kms"), clients("secretsmanager")
        key = kms.create_key()["KeyMetadata"]["KeyId"]
        assert key in (folder.keys / "kms.json").read_text()
        secrets.create_secret(Name="mail", SecretString="none")
        secrets.put_secret_value(SecretId="mail", SecretString="smtp://mail.example")
        assert "smtp://mail.example" in (folder.keys / "secretsmanager.json").read_text()
        sealed = kms.encrypt(KeyId=key, Plaintext=b"secret")["CiphertextBlob"]

    with ministack(folder) as clients:
        assert clients("kms").decrypt(CiphertextBlob=sealed)["Plaintext"] == b"secret"
        found = clients("secretsmanager").get_secret_value(SecretId="mail")
        assert found["SecretString"] == "smtp://mail.example"
    for file in folder.keys.iterdir():
        assert file.stat().st_mode & 0o777 == 0o600, file


@pytest.mark.parametrize(
    "content", ["", "{", json.dumps({"__ministack_format__": 999, "payload": {}})]
)
def test_unreadable_keys_end_the_start(folder: StackFolder, content: str) -> None:
    shutil.copytree(FIRST, folder.keys)
    (folder.keys / "kms.json").write_text(content)

    with (
        pytest.raises(StackError, match=r"kms\.json cannot be read: restore it"),
        ministack(folder),
    ):
        pass

    assert (folder.keys / "kms.json").read_text() == content
