"""Servers of storage that real ones stand behind: S3, Azure, Google and OpenSSH."""

import getpass
import os
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import asyncssh

from infra.local.paths import free_port, tail
from infra.local.processes import Spawner, kill_process_trees
from infra.setup.steps import COMMANDS_DIR, STORES_DIR

ACCESS_KEY: Final = "access"
SECRET_KEY: Final = "se/cret+key"
REGION: Final = "eu-central-1"
# The account that Azurite has by default.
AZURE_ACCOUNT: Final = "devstoreaccount1"
AZURE_KEY: Final = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)
_START_S: Final = 60.0


@dataclass(frozen=True)
class StorageServer:
    """A running server, and the folder of its files, if it keeps them as files."""

    port: int
    folder: Path

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@dataclass(frozen=True)
class SshServer(StorageServer):
    """sshd of this user: one key logs in; `host_keys` by their types."""

    username: str
    private_key: str
    host_keys: Mapping[str, asyncssh.SSHKey]


@contextmanager
def running_s3(folder: Path) -> Iterator[StorageServer]:
    """Run versitygw, which checks every signature; a folder below `folder` is a bucket."""
    port = free_port()
    keys = {"ROOT_ACCESS_KEY": ACCESS_KEY, "ROOT_SECRET_KEY": SECRET_KEY, "VGW_REGION": REGION}
    files = folder / "buckets"
    files.mkdir()
    command = [_tool("versitygw"), "--port", f"127.0.0.1:{port}", "--keep-alive", "posix"]
    with _running([*command, str(files)], port, folder / "log", keys):
        yield StorageServer(port, files)


@contextmanager
def running_azure(folder: Path) -> Iterator[StorageServer]:
    """Run Azurite, with the account `AZURE_ACCOUNT` below its URL."""
    port = free_port()
    tool = _tool("azurite/node_modules/.bin/azurite-blob")
    command = [str(COMMANDS_DIR / "node"), tool, "--blobHost", "127.0.0.1", "--blobPort", str(port)]
    command += ["--disableTelemetry", "--location", str(folder)]
    with _running(command, port, folder / "log"):
        yield StorageServer(port, folder)


@contextmanager
def running_google(folder: Path) -> Iterator[StorageServer]:
    """Run fake-gcs-server, which takes signed addresses and checks no signature."""
    port = free_port()
    command = [_tool("fake-gcs-server"), "-scheme", "http", "-backend", "memory"]
    command += ["-host", "127.0.0.1", "-port", str(port), "-public-host", f"127.0.0.1:{port}"]
    with _running(command, port, folder / "log"):
        yield StorageServer(port, folder)


@contextmanager
def running_sshd(folder: Path, small_disk: Path | None = None) -> Iterator[SshServer]:
    """Run OpenSSH's server; `small_disk` is a folder where it finds 1 MB of space."""
    port, log = free_port(), folder / "log"
    files = folder / "files"
    files.mkdir()
    host_keys = {
        name: asyncssh.generate_private_key(name)
        for name in ("ssh-ed25519", "ecdsa-sha2-nistp256", "ssh-rsa")
    }
    lines = [f"ListenAddress 127.0.0.1:{port}"]
    for name, host_key in host_keys.items():
        file = folder / f"host-{name}"
        file.touch(mode=0o600)
        host_key.write_private_key(file)
        lines.append(f"HostKey {file}")
    key = asyncssh.generate_private_key("ssh-ed25519")
    key.write_public_key(folder / "authorized_keys")
    lines += [
        f"AuthorizedKeysFile {folder / 'authorized_keys'}",
        "PasswordAuthentication no",
        "PermitRootLogin prohibit-password",
        "PidFile none",
        "StrictModes no",
        "Subsystem sftp internal-sftp",
        "UsePAM no",
        "",
    ]
    config = folder / "sshd_config"
    config.write_text("\n".join(lines))
    before = [*_preparations_of_root(folder), *([_limit(small_disk)] if small_disk else [])]
    sshd = f"exec {COMMANDS_DIR / 'sshd'} -D -e -f {config}"
    command = ["sh", "-c", " && ".join([*before, sshd])]
    # What is mounted is there for this server alone, and goes with it.
    command = ["unshare", "--mount", *command] if os.getuid() == 0 else command
    private = key.export_private_key().decode()
    with _running(command, port, log):
        yield SshServer(port, files, getpass.getuser(), private, host_keys)


def _tool(name: str) -> str:
    path = STORES_DIR / name
    assert path.exists(), f"{path} is missing; run: make test"
    return str(path)


def _preparations_of_root(folder: Path) -> list[str]:
    """Return the commands that make the folder and the user of OpenSSH's installation.

    Only root's server confines in them what is not yet logged in.
    """
    if os.getuid() != 0:
        return []
    users = folder / "passwd"
    users.write_text(Path("/etc/passwd").read_text() + "sshd:x:65533:65534::/run/sshd:/bin/false\n")
    return ["mkdir -p -m 755 /run/sshd", f"mount --bind {users} /etc/passwd"]


def _limit(folder: Path) -> str:
    """Return the command that limits the written bytes: of a disk, or else of each file."""
    if os.getuid() == 0:
        return f"mount -t tmpfs -o size=1m none {folder}"
    return "trap '' XFSZ && ulimit -f 2048"


@contextmanager
def _running(
    command: Sequence[str], port: int, log: Path, environment: Mapping[str, str] | None = None
) -> Iterator[None]:
    spawner = Spawner()
    with log.open("wb") as output:
        process = spawner.start(
            command, environment={**os.environ, **(environment or {})}, output=output
        )
    try:
        until = time.monotonic() + _START_S
        while not _accepts(port):
            assert process.poll() is None, tail(log)
            assert time.monotonic() < until, tail(log)
            time.sleep(0.02)
        yield
    finally:
        kill_process_trees(process)
        spawner.close()


def _accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True
