"""Names of items in combined files."""

import time
import zipfile
from collections.abc import Sequence
from io import BytesIO

import pytest

from chalicelib.core.text import is_safe_filename
from chalicelib.engine.combining.names import DistinctNames, item_title
from chalicelib.engine.combining.zip_archive import ZipState, append, finish


def names_of(filenames: Sequence[str | None], taken: Sequence[str] = ()) -> list[str]:
    names = DistinctNames(taken)
    return [names.add(filename, index, "pdf") for index, filename in enumerate(filenames)]


@pytest.mark.parametrize(
    ("filenames", "expected"),
    [
        (["a", "b"], ["a.pdf", "b.pdf"]),
        ([None, "", "b"], ["item-0.pdf", "item-1.pdf", "b.pdf"]),
        (["a", "a", "a"], ["a.pdf", "a-2.pdf", "a-3.pdf"]),
        (
            ["Rechnung", "RECHNUNG.PDF", "rechnung"],
            ["Rechnung.pdf", "RECHNUNG-2.pdf", "rechnung-3.pdf"],
        ),
        (["Größe", "GRÖSSE"], ["Größe.pdf", "GRÖSSE-2.pdf"]),
        (["a", "a", "a-2"], ["a.pdf", "a-2.pdf", "a-2-2.pdf"]),
        (["a-2", "a", "a"], ["a-2.pdf", "a.pdf", "a-3.pdf"]),
        (["a", "a-2", "a-3", "a"], ["a.pdf", "a-2.pdf", "a-3.pdf", "a-4.pdf"]),
        (["item-1", None], ["item-1.pdf", "item-1-2.pdf"]),
    ],
)
def test_repeated_names_are_numbered_in_order(
    filenames: Sequence[str | None], expected: Sequence[str]
) -> None:
    assert names_of(filenames) == expected


def test_formats_of_one_item_share_its_name() -> None:
    names = DistinctNames()

    assert [names.add("a", 0, each) for each in ("pdf", "png")] == ["a.pdf", "a.png"]


@pytest.mark.parametrize(
    "filename", ["CON", "../../etc/passwd", "a\0b\x1b", "\u202efdp.exe", "c:\\x"]
)
def test_no_name_leaves_the_folder_or_means_a_device(filename: str) -> None:
    (name,) = names_of([filename])

    assert is_safe_filename(name)


def test_resumed_names_are_those_of_one_run() -> None:
    filenames = ["a", "A", "a-2", "b", "a", "a-3", "B", "a"]
    whole = names_of(filenames)

    for cut in range(len(filenames)):
        names = DistinctNames(whole[:cut])
        rest = [
            names.add(filename, index, "pdf")
            for index, filename in enumerate(filenames[cut:], start=cut)
        ]
        assert rest == whole[cut:]


def test_a_hundred_thousand_equal_names_take_seconds_at_most() -> None:
    started = time.process_time()

    names = names_of(["a"] * 100_000)

    assert len({*names}) == 100_000
    assert names[-1] == "a-100000.pdf"
    assert time.process_time() - started < 10


def test_names_go_on_from_the_entries_of_an_archive() -> None:
    state = ZipState()
    content = append(state, "a.pdf", b"1")

    name = DistinctNames(entry.name for entry in state.entries).add("a", 1, "pdf")

    content += append(state, name, b"2") + finish(state)
    assert zipfile.ZipFile(BytesIO(content)).namelist() == ["a.pdf", "a-2.pdf"]


@pytest.mark.parametrize(
    ("filename", "reference", "title"),
    [("a.pdf", "R", "a.pdf"), (None, "R", "R"), ("", None, "Item 8"), (None, None, "Item 8")],
)
def test_title_is_the_name_then_the_reference_then_the_place(
    filename: str | None, reference: str | None, title: str
) -> None:
    assert item_title(filename, reference, 7) == title
