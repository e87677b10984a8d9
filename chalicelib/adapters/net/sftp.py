"""Files of an SFTP server over checked connections: its host key is known, or nothing is said."""

import asyncio
import base64
import contextlib
import hashlib
import logging
import posixpath
from collections.abc import Coroutine
from hashlib import sha256
from typing import Final, NamedTuple, Protocol, Self, override

import asyncssh

from chalicelib.adapters.net.sftp_faults import SftpFailedError, sftp_failure
from chalicelib.adapters.net.transport import Connector
from chalicelib.core.egress_policy import SFTP_PORTS

_PIECE_BYTES: Final = 1024 * 1024
_GOODBYE_S: Final = 1.0
# A server offers one key for each of them; the first one that both know is presented.
_ED25519: Final = ("ssh-ed25519",)
_ECDSA: Final = ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
_RSA: Final = ("rsa-sha2-512", "rsa-sha2-256")
_ALGORITHMS: Final = (*_ED25519, *_ECDSA, *_RSA)
# asyncssh logs hosts and user names at INFO.
logging.getLogger("asyncssh").setLevel(logging.WARNING)


class Source(Protocol):
    """Bytes of a file."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""
        ...


class SftpLogin(NamedTuple):
    """Server and user. `host_key` is `type base64` or `SHA256:…`; one of the others is given."""

    host: str
    port: int
    host_key: str
    username: str
    password: str | None
    private_key: str | None


class SftpClient:
    """Connection of one user, opened when it is first needed and again after an error.

    Each call takes `timeout_s` at most, and raises SftpFailedError or EgressError.
    """

    def __init__(self, connect: Connector, login: SftpLogin, timeout_s: float) -> None:
        """Reach the server by `connect`, which checks its address."""
        self._connect = connect
        self._login = login
        self._timeout_s = timeout_s
        # asyncssh is asynchronous, its callers are not: the loop runs during calls only.
        self._runner = asyncio.Runner()
        self._connection: asyncssh.SSHClientConnection | None = None
        self._sftp: asyncssh.SFTPClient | None = None

    def __enter__(self) -> Self:
        """Return the client itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self._runner.run(self._close())
        self._runner.close()

    def connect(self) -> None:
        """Connect, compare the host key, log in and begin SFTP."""
        self._run(self._session())

    def put(self, path: str, source: Source, sha256: str) -> None:
        """Write a file under a temporary name, then move it over one of its name.

        The temporary name follows from path and content, so that a repetition overwrites the
        remains.
        """
        self._run(self._put(path, source, sha256))

    def delete(self, path: str) -> None:
        """Delete a file, if it exists."""
        self._run(self._delete(path))

    def _run(self, work: Coroutine[None, None, object]) -> None:
        async def bounded() -> None:
            try:
                async with asyncio.timeout(self._timeout_s):
                    await work
            except BaseException:
                # Half an exchange is left on the connection: no later call could tell its answers
                # apart.
                await self._close()
                raise

        try:
            self._runner.run(bounded())
        except (asyncssh.Error, OSError) as error:
            raise sftp_failure(error) from error

    async def _put(self, path: str, source: Source, sha256: str) -> None:
        sftp = await self._session()
        folder = posixpath.dirname(path)
        # A reader of the folder never sees half a file under its name.
        name = hashlib.sha256(f"{path} {sha256}".encode()).hexdigest()[:16]
        temporary = posixpath.join(folder, f".platen-{name}.part")
        try:
            target = await sftp.open(temporary, "wb")
        except (asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath):
            await _make_folders(sftp, folder)
            target = await sftp.open(temporary, "wb")
        try:
            await _write(target, source)
            await _move(sftp, temporary, path)
        except (asyncssh.SFTPError, SftpFailedError):
            with contextlib.suppress(asyncssh.SFTPError):
                await sftp.remove(temporary)
            raise

    async def _delete(self, path: str) -> None:
        sftp = await self._session()
        with contextlib.suppress(asyncssh.SFTPNoSuchFile):
            await sftp.remove(path)

    async def _session(self) -> asyncssh.SFTPClient:
        if self._sftp is None:
            self._connection = await self._log_in()
            self._sftp = await self._connection.start_sftp_client()
        return self._sftp

    async def _log_in(self) -> asyncssh.SSHClientConnection:
        expected, orders = _expected_key(self._login.host_key)
        presented: set[str] = set()
        for order in orders:
            known = _KnownHost(expected)
            try:
                return await self._ssh(known, order)
            except asyncssh.HostKeyNotVerifiable:
                # The server presented another key, and may also have the expected one.
                if known.presented in presented:
                    break
                presented.add(known.presented)
        raise SftpFailedError("host_key", "has another host key than the one that was entered")

    async def _ssh(
        self, known: "_KnownHost", algorithms: tuple[str, ...]
    ) -> asyncssh.SSHClientConnection:
        login = self._login
        keys = None if login.private_key is None else [_private_key(login.private_key)]
        connection = self._connect(
            login.host, login.port, timeout_s=self._timeout_s, ports=SFTP_PORTS, exempt_only=False
        )
        try:
            # Nothing of this machine is used: no configuration, keys, agent or known hosts.
            return await asyncssh.connect(
                login.host,
                login.port,
                sock=connection,
                config=None,
                client_factory=lambda: known,
                known_hosts=([], [], []),
                server_host_key_algs=algorithms,
                username=login.username,
                password=login.password,
                client_keys=keys,
                agent_path=None,
                gss_host=None,
            )
        except BaseException:
            connection.close()
            raise

    async def _close(self) -> None:
        connection, self._connection, self._sftp = self._connection, None, None
        if connection is None:
            return
        connection.close()
        try:
            async with asyncio.timeout(_GOODBYE_S):
                await connection.wait_closed()
        except TimeoutError:
            connection.abort()


async def _write(target: asyncssh.SFTPClientFile, source: Source) -> None:
    """Write a file and close it.

    It stays open where the time is over: to close it takes an answer of the server.
    """
    try:
        while piece := source.read(_PIECE_BYTES):
            await target.write(piece)
    except Exception:
        await target.close()
        raise
    await target.close()


class _KnownHost(asyncssh.SSHClient):
    """Comparison of the presented host key, before anything about the user is sent."""

    def __init__(self, expected: str | None) -> None:
        self._expected = expected
        self.presented = ""

    @override
    def validate_host_public_key(
        self, host: str, addr: str, port: int, key: asyncssh.SSHKey
    ) -> bool:
        self.presented = key.get_fingerprint("sha256")
        return self.presented == self._expected


async def _make_folders(sftp: asyncssh.SFTPClient, folder: str) -> None:
    absent = []
    while folder not in {"", "/"} and not await sftp.isdir(folder):
        absent.append(folder)
        folder = posixpath.dirname(folder)
    for each in reversed(absent):
        try:
            await sftp.mkdir(each)
        except asyncssh.SFTPPermissionDenied as error:
            raise SftpFailedError("missing", "has no such folder, and let none be made") from error
        except (asyncssh.SFTPFailure, asyncssh.SFTPFileAlreadyExists) as error:
            # Another upload may have made it meanwhile.
            if await sftp.isdir(each):
                continue
            if await sftp.lexists(each):
                raise SftpFailedError("missing", "has a file where a folder must be") from error
            raise


async def _move(sftp: asyncssh.SFTPClient, old: str, new: str) -> None:
    try:
        await sftp.posix_rename(old, new)
    except asyncssh.SFTPOpUnsupported:
        # The plain rename of SFTP replaces no file.
        with contextlib.suppress(asyncssh.SFTPNoSuchFile):
            await sftp.remove(new)
        await sftp.rename(old, new)
    except asyncssh.SFTPFailure as error:
        if await sftp.isdir(new):
            raise SftpFailedError("rejected", "has a folder with the name of the file") from error
        raise


def _expected_key(host_key: str) -> tuple[str | None, tuple[tuple[str, ...], ...]]:
    """Return a key's fingerprint, and orders of algorithms that make a server present the key."""
    kind, _, encoded = host_key.strip().partition(" ")
    if kind.startswith("SHA256:"):
        first = (_ED25519, _ECDSA, _RSA)
        return kind.rstrip("="), tuple(_with_rest(family) for family in first)
    try:
        digest = sha256(base64.b64decode(encoded.split(" ")[0], validate=True)).digest()
    except ValueError:
        return None, (_ALGORITHMS,)
    own = _RSA if kind == "ssh-rsa" else tuple(each for each in _ALGORITHMS if each == kind)
    return f"SHA256:{base64.b64encode(digest).decode().rstrip('=')}", (_with_rest(own),)


def _with_rest(first: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *_ALGORITHMS)))


def _private_key(text: str) -> asyncssh.SSHKey:
    try:
        return asyncssh.import_private_key(text)
    # KeyEncryptionError: it has a passphrase.
    except (asyncssh.KeyImportError, asyncssh.KeyEncryptionError) as error:
        message = "needs a private key in PEM or OpenSSH format that is not encrypted"
        raise SftpFailedError("credentials", message) from error
