"""Loading of stored sources: several at a time, in the order of the request, within the bounds."""

import threading

import pytest

from chalicelib.contract.options.pdf_tools import MergeOptions, PdfSource
from chalicelib.core.errors import RenderFailure
from chalicelib.engine.context import JobContext
from chalicelib.engine.job import PdfToolJob
from chalicelib.engine.pdf_tools.run.load_contents import load_contents
from chalicelib.engine.ports import NoEgress
from tests.builders.waiting import PATIENCE_S, generous_deadline


def merge_job(count: int) -> PdfToolJob:
    sources = tuple(PdfSource(upload_id=f"upl_{number}") for number in range(count))
    return PdfToolJob(MergeOptions(), sources, max_pages=10)


def test_uploads_are_loaded_eight_at_a_time_and_keep_their_order() -> None:
    together = threading.Barrier(8, timeout=PATIENCE_S)

    def upload(name: str) -> bytes:
        together.wait()
        return name.encode()

    contents = load_contents(merge_job(16), JobContext(generous_deadline(), upload), NoEgress())

    assert list(contents.values()) == [b"upl_%d" % number for number in range(16)]


def test_nothing_more_is_loaded_once_the_sources_are_too_large_together() -> None:
    loaded = list[str]()
    content = bytes(60_000_000)

    def upload(name: str) -> bytes:
        loaded.append(name)
        return content

    with pytest.raises(RenderFailure) as failure:
        load_contents(merge_job(40), JobContext(generous_deadline(), upload), NoEgress())

    assert [each.path for each in failure.value.errors] == ["/sources/3"]
    assert len(loaded) == 8
