"""SSH server in a thread of the test: its user logs in with a password, its files can fail."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, Final, override

import asyncssh

from tests.builders.waiting import PATIENCE_S

if TYPE_CHECKING:
    from concurrent.futures import Future

USERNAME: Final = "ada"
PASSWORD: Final = "pass wörd"


@dataclass
class FakeSshServer:
    """A running server; `logins` are the passwords it was sent, `faults` fail calls of SFTP."""

    folder: Path
    host_key: asyncssh.SSHKey
    # By the name of the call, such as `open`, `mkdir`, `write` or `posix_rename`.
    faults: dict[str, Exception] = field(default_factory=dict)
    # Called at each call.
    watch: Callable[[str], None] = lambda _name: None
    logins: list[tuple[str, str]] = field(default_factory=list)
    offers_password: bool = True
    port: int = 0
    connections: list[asyncssh.SSHServerConnection] = field(default_factory=list)

    def cut(self) -> None:
        """End all connections at once."""
        for connection in self.connections:
            connection.abort()


@contextmanager
def ssh_server(folder: Path, host_key_type: str = "ssh-ed25519") -> Iterator[FakeSshServer]:
    server = FakeSshServer(folder, asyncssh.generate_private_key(host_key_type))
    loop = asyncio.new_event_loop()
    thread = Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        listener = _in(loop, _listen(server))
        server.port = listener.get_port()
        yield server
        _in(loop, _end(server, listener))
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(PATIENCE_S)
        loop.close()


def _in(loop: asyncio.AbstractEventLoop, work: Any) -> Any:
    future: Future[Any] = asyncio.run_coroutine_threadsafe(work, loop)
    return future.result(PATIENCE_S)


async def _listen(server: FakeSshServer) -> asyncssh.SSHAcceptor:
    return await asyncssh.listen(
        "127.0.0.1",
        0,
        server_host_keys=[server.host_key],
        server_factory=lambda: _Login(server),
        sftp_factory=lambda channel: _Files(server, channel),
        config=None,
        allow_scp=False,
    )


async def _end(server: FakeSshServer, listener: asyncssh.SSHAcceptor) -> None:
    listener.close()
    server.cut()
    await listener.wait_closed()
    for connection in server.connections:
        await connection.wait_closed()


class _Login(asyncssh.SSHServer):
    def __init__(self, server: FakeSshServer) -> None:
        self._server = server

    @override
    def connection_made(self, conn: asyncssh.SSHServerConnection) -> None:
        self._server.connections.append(conn)

    @override
    def password_auth_supported(self) -> bool:
        return self._server.offers_password

    @override
    def validate_password(self, username: str, password: str) -> bool:
        self._server.logins.append((username, password))
        return (username, password) == (USERNAME, PASSWORD)

    @override
    def kbdint_auth_supported(self) -> bool:
        return not self._server.offers_password

    @override
    def get_kbdint_challenge(self, username: str, lang: str, submethods: str) -> Any:
        return "", "", "", [("Password:", False)]

    @override
    def validate_kbdint_response(self, username: str, responses: Any) -> bool:
        return self.validate_password(username, responses[0])


class _Files(asyncssh.SFTPServer):
    def __init__(self, server: FakeSshServer, channel: Any) -> None:
        self._server = server
        super().__init__(channel, chroot=str(server.folder).encode())

    def _call(self, name: str) -> None:
        self._server.watch(name)
        if name in self._server.faults:
            raise self._server.faults[name]

    @override
    def open(self, path: bytes, pflags: int, attrs: asyncssh.SFTPAttrs) -> Any:
        self._call("open")
        return super().open(path, pflags, attrs)

    @override
    def mkdir(self, path: bytes, attrs: asyncssh.SFTPAttrs) -> None:
        self._call("mkdir")
        super().mkdir(path, attrs)

    @override
    def write(self, file_obj: object, offset: int, data: bytes) -> Any:
        self._call("write")
        return super().write(file_obj, offset, data)

    @override
    def posix_rename(self, oldpath: bytes, newpath: bytes) -> None:
        self._call("posix_rename")
        super().posix_rename(oldpath, newpath)

    @override
    def remove(self, path: bytes) -> None:
        self._call("remove")
        super().remove(path)
