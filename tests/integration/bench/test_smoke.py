"""Each benchmark runs, to its table and its last line; the figures of so small a run say nothing.

All of them share a stack, a browser and servers.
"""

import re
from collections.abc import Iterator

import pytest

from infra.bench.parts import Parts
from infra.bench.registry import MODULES, run

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def parts() -> Iterator[Parts]:
    with Parts() as running:
        yield running


@pytest.mark.parametrize("name", MODULES)
def test_a_benchmark_ends_with_its_table_and_its_ratio(
    name: str, parts: Parts, capsys: pytest.CaptureFixture[str]
) -> None:
    run(name, parts, is_smoke=True)

    *table, last = capsys.readouterr().out.splitlines()
    assert table
    assert re.fullmatch(rf"{name}: \d.* \(limit \d.*\)", last)
