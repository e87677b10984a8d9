"""First receipts of uploads: paths of an engine that is not trusted."""

from typing import Final

import pytest

from chalicelib.core.storage import MAX_PATH_BYTES
from chalicelib.engine.context import RenderedFile, RenderTrace
from chalicelib.engine.delivery.storage import RenderedPath, StorageTarget, StorageTargets
from chalicelib.engine.job import PageJob, RenderOutcome
from chalicelib.engine.sources import HtmlSource
from chalicelib.features.renders.run.receipts import first_receipts

PDF: Final = RenderedFile("pdf", b"12345", "application/pdf")
PNG: Final = RenderedFile("png", b"123", "image/png")


def receipts(
    targets: list[str], files: list[RenderedFile], paths: list[RenderedPath]
) -> list[tuple[str, int, str, str | None]]:
    storage = StorageTargets({}, tuple(StorageTarget(destination_id=each) for each in targets))
    job = PageJob(HtmlSource(html=""), storage=storage)
    outcome = RenderOutcome(
        tuple(files), RenderTrace(), is_cold_start=False, storage_paths=tuple(paths)
    )
    return [each[:4] for each in first_receipts(job, outcome)]


def test_receipts_stand_target_by_target_and_file_by_file() -> None:
    paths = [RenderedPath(prefix + name) for prefix in ("a/", "b/") for name in ("x.pdf", "x.png")]

    made = receipts(["dst_1", "dst_2"], [PDF, PNG], paths)

    assert made == [
        ("dst_1", 0, "pending", "a/x.pdf"),
        ("dst_1", 1, "pending", "a/x.png"),
        ("dst_2", 0, "pending", "b/x.pdf"),
        ("dst_2", 1, "pending", "b/x.png"),
    ]


@pytest.mark.parametrize(
    ("path", "second"),
    [
        ("x.pdf", "x-2.pdf"),
        ("a.b/x", "a.b/x-2"),
        ("a/.hidden", "a/.hidden-2"),
        ("x.tar.gz", "x.tar-2.gz"),
    ],
)
def test_second_file_of_a_path_gets_a_number(path: str, second: str) -> None:
    rendered = [RenderedPath(f"p/{path}")] * 4

    made = receipts(["dst_1", "dst_1"], [PDF, PNG], rendered)

    third, fourth = second.replace("-2", "-3"), second.replace("-2", "-4")
    assert [each[3] for each in made] == [f"p/{name}" for name in (path, second, third, fourth)]


def test_destinations_do_not_share_paths() -> None:
    made = receipts(["dst_1", "dst_2"], [PDF], [RenderedPath("x.pdf")] * 2)

    assert [each[3] for each in made] == ["x.pdf", "x.pdf"]


def test_number_that_makes_a_path_too_long_makes_it_invalid() -> None:
    name = "a" * (MAX_PATH_BYTES - 4) + ".pdf"

    made = receipts(["dst_1"], [PDF, PNG], [RenderedPath(name)] * 2)

    assert [each[2:] for each in made] == [("pending", name), ("failed", None)]


@pytest.mark.parametrize(
    "paths",
    [
        [],
        [RenderedPath(fault="the template failed \ud800")],
        [RenderedPath("../")],
        [RenderedPath("a" * 2_000 + "b")],
    ],
)
def test_path_that_cannot_be_made_fails_its_upload(paths: list[RenderedPath]) -> None:
    storage = StorageTargets({}, (StorageTarget(destination_id="dst_1"),))
    job = PageJob(HtmlSource(html=""), storage=storage)
    outcome = RenderOutcome((PDF,), RenderTrace(), is_cold_start=False, storage_paths=tuple(paths))

    (receipt,) = first_receipts(job, outcome)

    assert (receipt.status, receipt.path, receipt.bytes) == ("failed", None, 5)
    assert receipt.error is not None
    assert receipt.error["code"] == "storage_key_invalid"
    assert str(receipt.error["message"]).encode()


def test_hundreds_of_files_of_one_path_are_numbered_at_once() -> None:
    rendered = [RenderedPath("x.pdf")] * 5_000

    made = receipts(["dst_1"] * 10, [PDF] * 500, rendered)

    paths = [each[3] for each in made]
    assert paths[:3] == ["x.pdf", "x-2.pdf", "x-3.pdf"]
    assert paths[-1] == "x-5000.pdf"


def test_all_paths_of_a_render_together_have_a_bound() -> None:
    names = [f"{n:04}".ljust(MAX_PATH_BYTES, "x") for n in range(5_000)]

    made = receipts(["dst_1"] * 10, [PDF] * 500, [RenderedPath(name) for name in names])

    good = [each for each in made if each[2] == "pending"]
    assert [each[3] for each in good] == names[: 2_600_000 // MAX_PATH_BYTES]
    assert len(good) > 5 * 500
