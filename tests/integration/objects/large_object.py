"""100 MB through the adapters in a process of their own, which reports the growth of its peak.

Each argument after the bucket is an operation. What stays in memory once something was called
(modules, clients, buffers of connections) is paid for by a small object before the peak is reset.
"""

import hashlib
import itertools
import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from chalicelib.adapters.aws.multipart import MultipartUpload
from chalicelib.adapters.aws.object_streams import PART_BYTES
from chalicelib.adapters.aws.objects import Objects
from chalicelib.adapters.aws.session import AwsClients

SIZE: Final = 100_000_000
KEY: Final = "large"
TYPE: Final = "application/octet-stream"
RANGE_BYTES: Final = 3_000_001


class Source:
    """Stream of bytes that repeat at no power of two."""

    def __init__(self, size: int) -> None:
        self._left = size
        self._pattern = bytes(range(251)) * 4000

    def read(self, size: int, /) -> bytes:
        chunk = self._pattern[: min(size, self._left)]
        self._left -= len(chunk)
        return chunk


class Large:
    """Operations on an object of one size; each returns the digest of the bytes that passed."""

    def __init__(self, bucket: str, size: int) -> None:
        self._clients = AwsClients()
        self._bucket = bucket
        self._size = size
        self._objects = Objects(self._clients, bucket)

    def put(self) -> str:
        kept = self._objects.put_stream(
            KEY, Source(self._size), content_type=TYPE, length=self._size
        )
        return kept.sha256.hex()

    def get(self) -> str:
        digest = hashlib.sha256()
        reader = self._objects.get_stream(KEY)
        assert reader is not None
        with reader:
            for chunk in reader:
                digest.update(chunk)
        return digest.hexdigest()

    def whole(self) -> str:
        return hashlib.sha256(self._objects.get(KEY) or b"").hexdigest()

    def ranges(self) -> str:
        digest = hashlib.sha256()
        version = self._objects.find(KEY)
        assert version is not None
        for begin in range(0, version.size, RANGE_BYTES):
            end = min(begin + RANGE_BYTES, version.size)
            digest.update(self._objects.get_range(version, begin, end))
        return digest.hexdigest()

    def copy(self) -> str:
        reader = self._objects.get_stream(KEY)
        assert reader is not None
        with reader:
            kept = self._objects.put_stream("copy", reader, content_type=TYPE, length=self._size)
        return kept.sha256.hex()

    def multipart(self) -> str:
        upload = MultipartUpload.begin(self._clients, self._bucket, KEY, content_type=TYPE)
        reader = self._objects.get_stream("copy")
        assert reader is not None
        digest = hashlib.sha256()
        with reader:
            for number in itertools.count(1):
                part = reader.read(PART_BYTES)
                if not part:
                    break
                digest.update(part)
                # A new process for each part, as it were.
                again = MultipartUpload.resume(self._clients, self._bucket, KEY, upload.id)
                again.put_part(number, part, is_last=len(part) < PART_BYTES)
        MultipartUpload.resume(self._clients, self._bucket, KEY, upload.id).complete()
        return digest.hexdigest()

    @property
    def operations(self) -> Mapping[str, Callable[[], str]]:
        return {
            "put": self.put,
            "get": self.get,
            "whole": self.whole,
            "ranges": self.ranges,
            "copy": self.copy,
            "multipart": self.multipart,
        }


def peak_kb() -> int:
    """Return the largest resident size since the last reset.

    getrusage would begin with that of the parent, whose memory a new process shares at first.
    """
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    return int(status.split("VmHWM:")[1].split()[0])


def reset_peak() -> None:
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")


def main(bucket: str, *names: str) -> None:
    small = Large(bucket, 1000)
    for operation in ("put", "get", "ranges", "copy", "multipart"):
        small.operations[operation]()
    large = Large(bucket, SIZE)
    for name in names:
        reset_peak()
        before = peak_kb()
        digest = large.operations[name]()
        version = Objects(AwsClients(), bucket).find(KEY)
        assert version is not None
        report = {"operation": name, "growth_kb": peak_kb() - before}
        sys.stdout.write(json.dumps({**report, "sha256": digest, "size": version.size}) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
