"""Faults of an SFTP server, as its tenant reads them; they repeat nothing that it has said."""

from typing import Final, Literal

import asyncssh

type SftpFault = Literal["host_key", "credentials", "denied", "missing", "rejected", "unavailable"]

_FAULTS: Final[tuple[tuple[tuple[type[Exception], ...], SftpFault, str], ...]] = (
    ((asyncssh.PermissionDenied,), "credentials", "refused user name, password or key"),
    ((asyncssh.IllegalUserName,), "credentials", "cannot be told such a user name"),
    ((asyncssh.KeyExchangeFailed,), "rejected", "has no algorithm of SSH that is still secure"),
    ((asyncssh.ChannelOpenError,), "rejected", "offers no SFTP to this user"),
    (
        (asyncssh.SFTPPermissionDenied, asyncssh.SFTPWriteProtect),
        "denied",
        "denied access to the file or its folder",
    ),
    ((asyncssh.SFTPNoSuchFile, asyncssh.SFTPNoSuchPath), "missing", "has no such folder"),
    (
        # A bad message is what OpenSSH calls a name that is too long.
        (asyncssh.SFTPInvalidFilename, asyncssh.SFTPFileIsADirectory, asyncssh.SFTPBadMessage),
        "rejected",
        "does not take the name of the file",
    ),
    (
        (asyncssh.SFTPConnectionLost, asyncssh.SFTPNoConnection),
        "unavailable",
        "ended the connection",
    ),
    # OpenSSH says no more than that something failed.
    ((asyncssh.SFTPError,), "unavailable", "did not store the file: its disk may be full"),
    ((TimeoutError,), "unavailable", "took too long"),
    ((Exception,), "unavailable", "ended the connection, or did not speak SSH"),
)


class SftpFailedError(Exception):
    """An SFTP server did not do something; the text goes on after the name of the host.

    It repeats nothing that the server has said.
    """

    def __init__(self, fault: SftpFault, text: str) -> None:
        """Carry the fault in words."""
        super().__init__(text)
        self.fault = fault


def sftp_failure(error: Exception) -> SftpFailedError:
    """Return the fault in words that follow the name of the host."""
    for kinds, fault, text in _FAULTS:
        if isinstance(error, kinds):
            return SftpFailedError(fault, text)
    raise AssertionError from error
