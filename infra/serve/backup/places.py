"""Places of backups: a folder, or a bucket that speaks S3."""

import os
import shutil
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final, Protocol, cast
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

_SCHEME: Final = "s3://"
_CONNECTIONS: Final = 16
_PIECE_BYTES: Final = 1 << 20


class Place(Protocol):
    """Place of one backup; paths have slashes and are relative to it."""

    def begin(self) -> None:
        """Begin a backup; raises FileExistsError where the place has files."""

    def add(self, path: str, content: IO[bytes]) -> None:
        """Store a file."""

    def settle(self) -> None:
        """Return when what was stored outlasts a power cut."""

    def read(self, path: str) -> IO[bytes]:
        """Open a file; raises FileNotFoundError."""

    def scratch(self) -> "tempfile.TemporaryDirectory[str]":
        """Return a context with a folder for a copy of the tables, while a backup is made."""


def place_of(text: str, endpoint_url: str | None) -> Place:
    """Return the place that a user names; `endpoint_url` is for `s3://` elsewhere than at AWS."""
    if not text.startswith(_SCHEME):
        return FolderPlace(Path(text).absolute())
    named = urlsplit(text)
    prefix = named.path.strip("/")
    return BucketPlace(named.netloc, f"{prefix}/" if prefix else "", endpoint_url)


class FolderPlace:
    """Folder that only its owner can read: it has the keys that open sealed secrets."""

    def __init__(self, path: Path) -> None:
        """Name a folder."""
        self._path = path

    def begin(self) -> None:
        """Make the folder; raises FileExistsError where it has files."""
        self._path.mkdir(0o700, parents=True, exist_ok=True)
        if any(self._path.iterdir()):
            raise FileExistsError
        self._path.chmod(0o700)

    def add(self, path: str, content: IO[bytes]) -> None:
        """Store a file under its name when it is whole."""
        file = self._path / path
        file.parent.mkdir(0o700, parents=True, exist_ok=True)
        partial = file.with_name("partial") if "/" not in path else file
        descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(content, target, _PIECE_BYTES)
            target.flush()
            os.fsync(descriptor)
            # It is read back from the disk, not from memory.
            os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        partial.rename(file)

    def settle(self) -> None:
        """Sync the names; the content is."""
        os.sync()

    def read(self, path: str) -> IO[bytes]:
        """Open a file; raises FileNotFoundError."""
        return (self._path / path).open("rb")

    def scratch(self) -> "tempfile.TemporaryDirectory[str]":
        """Return a context with a folder on the same disk."""
        return tempfile.TemporaryDirectory(dir=self._path, prefix="scratch")


class BucketPlace:
    """Bucket and prefix; boto3 finds region and credentials as it always does."""

    def __init__(self, bucket: str, prefix: str, endpoint_url: str | None) -> None:
        """Name a bucket, which is there."""
        from boto3.session import Session  # noqa: PLC0415 -- backups to folders do without
        from botocore.config import Config  # noqa: PLC0415

        config = Config(max_pool_connections=_CONNECTIONS, retries={"mode": "standard"})
        self._s3: S3Client = Session().client("s3", endpoint_url=endpoint_url, config=config)
        self._bucket = bucket
        self._prefix = prefix

    def begin(self) -> None:
        """Raise FileExistsError where the prefix has objects."""
        found = self._s3.list_objects_v2(Bucket=self._bucket, Prefix=self._prefix, MaxKeys=1)
        if found.get("Contents"):
            raise FileExistsError

    def add(self, path: str, content: IO[bytes]) -> None:
        """Store an object; a large one goes in parts."""
        self._s3.upload_fileobj(content, self._bucket, self._prefix + path)

    def settle(self) -> None:
        """Do nothing: what is answered is stored."""

    def read(self, path: str) -> IO[bytes]:
        """Open an object; raises FileNotFoundError."""
        try:
            found = self._s3.get_object(Bucket=self._bucket, Key=self._prefix + path)
        except self._s3.exceptions.NoSuchKey:
            raise FileNotFoundError(path) from None
        return cast("IO[bytes]", found["Body"])

    def scratch(self) -> "tempfile.TemporaryDirectory[str]":
        """Return a context with a temporary folder of this machine."""
        return tempfile.TemporaryDirectory()
