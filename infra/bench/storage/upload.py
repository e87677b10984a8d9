"""Benchmark: rate and memory of uploads to an S3 destination.

`make bench NAME=upload`: 200 files of 1 MB wait in the bucket, whose messages become visible
together; the stack uploads them to a store of its own (versitygw). Beside it boto3 gets the same
files from the bucket and puts them into the store, one after the other. Measured are seconds a file
of both, in turn, three times each, and the peak memory of a process of the function that uploads
one file of 100 MB beside that of one of 1 MB.
"""

import contextlib
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import boto3

from infra.bench.storage.files import BenchUploads, StoreGateway, store_gateway
from infra.bench.storage.peak_memory import peak_memory
from infra.local.running_stack import RunningStack, running_stack

LIMIT: Final = 2.0
MEMORY_LIMIT: Final = 1.2
FILES: Final = 200
FILE_BYTES: Final = 1_000_000
LARGE_BYTES: Final = 100_000_000
ROUNDS: Final = 3
_WARM_UP: Final = 20


def main() -> int:
    """Print the table and the ratio; 1 when a limit is not met."""
    with _stack_with_store() as (stack, gateway):
        uploads = BenchUploads(stack, gateway)
        uploads.upload(_WARM_UP, FILE_BYTES)
        product, bare = [], []
        for _ in range(ROUNDS):
            keys, seconds = uploads.upload(FILES, FILE_BYTES)
            product.append(seconds / FILES)
            bare.append(_copy_seconds(stack, gateway, keys) / FILES)
        small, large = (
            peak_memory(stack, uploads.prepare(1, size)[0]) for size in (FILE_BYTES, LARGE_BYTES)
        )
    ratio = statistics.median(product) / statistics.median(bare)
    memory = large / small
    for name, values in (("uploads", product), ("boto3", bare)):
        shown = ", ".join(f"{1000 * value:.1f}" for value in values)
        sys.stdout.write(f"{name:<10}ms a file of {FILE_BYTES} bytes: {shown}\n")
    sys.stdout.write(
        f"peak memory: {small / 1e6:.1f} MB with {FILE_BYTES} bytes, {large / 1e6:.1f} MB with "
        f"{LARGE_BYTES}: {memory:.2f} (limit {MEMORY_LIMIT})\n"
        f"upload: {ratio:.2f} (limit {LIMIT})\n"
    )
    return int(ratio > LIMIT or memory > MEMORY_LIMIT)


@contextlib.contextmanager
def _stack_with_store() -> Iterator[tuple[RunningStack, StoreGateway]]:
    with (
        tempfile.TemporaryDirectory() as folder,
        store_gateway(Path(folder)) as gateway,
        running_stack(PLATEN_EGRESS_ALLOW=gateway.egress_exemption) as stack,
    ):
        yield stack, gateway


def _copy_seconds(stack: RunningStack, gateway: StoreGateway, keys: list[str]) -> float:
    """Return the seconds in which boto3 copies these files, one after the other."""
    source, bucket = stack.client("s3"), stack.resources["FilesBucket"]["Ref"]
    target: Any = boto3.client("s3", **gateway.boto3_options)
    started = time.perf_counter()
    for number, key in enumerate(keys):
        body = source.get_object(Bucket=bucket, Key=key)["Body"].read()
        assert len(body) == FILE_BYTES, key
        target.put_object(Bucket=gateway.bucket, Key=f"bare/{number}", Body=body)
    return time.perf_counter() - started
