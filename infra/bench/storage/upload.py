"""Benchmark: rate and memory of uploads to an S3 destination.

Files wait in the bucket, whose messages become visible together; the stack uploads them to a store
of its own (versitygw). Beside it boto3 gets the same files from the bucket and puts them into the
store, one after the other. Measured are seconds a file of both, in turn, and the peak memory of a
process of the function that uploads one large file beside that of a small one.
"""

import time
from typing import Any, Final, NamedTuple

import boto3

from infra.bench.parts import Parts
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns
from infra.bench.storage.files import BenchUploads
from infra.bench.storage.gateway import BUCKET
from infra.bench.storage.peak_memory import peak_memory

LIMIT: Final = Limit(2.0)
MEMORY_LIMIT: Final = Limit(1.2)


class Size(NamedTuple):
    """Files of a round with their bytes, and the bytes of the large file.

    All rows, objects and messages of a round are written within the delay, in seconds.
    """

    rounds: Rounds
    files: int
    file_bytes: int
    large_bytes: int
    delay_s: int


FULL: Final = Size(Rounds(3), 200, file_bytes=1_000_000, large_bytes=100_000_000, delay_s=20)
SMOKE: Final = Size(Rounds(1, warm_up=0), 2, file_bytes=1_000, large_bytes=2_000, delay_s=1)
_OURS: Final = "uploads"
_BOTO3: Final = "boto3"


def measure(parts: Parts, report: Report, size: Size) -> None:
    """Print the table and the ratio."""
    uploads = BenchUploads(parts.stack, parts.store)
    keys: list[str] = []

    def upload() -> float:
        keys[:], seconds = uploads.upload(size.files, size.file_bytes, size.delay_s)
        return seconds / size.files

    def copy() -> float:
        return _copy_s(parts, keys) / size.files

    times = run_in_turns({_OURS: upload, _BOTO3: copy}, size.rounds)
    small, large = (
        peak_memory(parts.stack, uploads.prepare(1, each)[0])
        for each in (size.file_bytes, size.large_bytes)
    )
    times.show(report, f"ms a file of {size.file_bytes} bytes")
    report.row("peak memory", "MB")
    report.row(f"  {size.file_bytes} bytes", small / 1e6)
    report.row(f"  {size.large_bytes} bytes", large / 1e6)
    report.check("memory", MEMORY_LIMIT, large / small)
    report.result(LIMIT, times.ratio(_OURS, _BOTO3))


def _copy_s(parts: Parts, keys: list[str]) -> float:
    """Return the seconds in which boto3 copies these files, one after the other."""
    source, bucket = parts.stack.client("s3"), parts.stack.resources["FilesBucket"]["Ref"]
    target: Any = boto3.client("s3", **parts.store.boto3_options)
    started = time.perf_counter()
    for number, key in enumerate(keys):
        body = source.get_object(Bucket=bucket, Key=key)["Body"].read()
        target.put_object(Bucket=BUCKET, Key=f"bare/{number}", Body=body)
    return time.perf_counter() - started
