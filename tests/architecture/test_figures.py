"""The figures of the code's structure stay within their bounds (decision 26)."""

from functools import cache
from typing import Final

from infra.figures import Figures
from infra.template import ROOT

MAX_MODULES: Final = 730
MAX_SINGLE_USE_SHARE: Final = 0.15
MAX_MODULES_PER_FOLDER: Final = 20
# Lower them when the code allows it; nothing raises them.
MAX_ANY: Final = 90
MAX_LONG_FUNCTIONS: Final = 6
MAX_DUPLICATES: Final = 14


@cache
def figures() -> Figures:
    return Figures(ROOT)


def test_modules_are_few_enough_to_know() -> None:
    assert len(figures().modules) <= MAX_MODULES


def test_most_modules_have_several_users() -> None:
    share = len(figures().single_use) / len(figures().modules)

    assert share < MAX_SINGLE_USE_SHARE, figures().single_use


def test_no_folder_is_a_corridor() -> None:
    crowded = {
        folder: count
        for folder, count in figures().per_folder.items()
        if count > MAX_MODULES_PER_FOLDER
    }

    assert crowded == {}


def test_every_public_class_name_has_one_meaning() -> None:
    assert figures().class_names_twice == {}


def test_what_is_to_shrink_does_not_grow() -> None:
    assert figures().any_count <= MAX_ANY
    assert len(figures().long_functions) <= MAX_LONG_FUNCTIONS, figures().long_functions


def test_little_is_written_twice() -> None:
    assert len(figures().duplicates) <= MAX_DUPLICATES, figures().duplicates
