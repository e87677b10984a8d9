"""Benchmarks by name: their list, and the names that pages and decisions use."""

import re

import pytest

from infra.bench.__main__ import main
from infra.bench.registry import MODULES
from infra.bench.report import Limit, Report
from infra.bench.rounds import Rounds, run_in_turns
from infra.template import ROOT


def run_command(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr("sys.argv", ["bench", *arguments])
    return main()


def test_without_a_name_each_benchmark_is_listed_with_what_it_measures(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run_command(monkeypatch) == 0

    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(MODULES)
    assert all(re.fullmatch(r"\S+ +\w.*[\w)]", line) for line in lines)


def test_an_unknown_name_is_an_error_that_lists_the_names(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        run_command(monkeypatch, "fast")

    assert end.value.code == 2
    assert {f"'{name}'" for name in MODULES} <= set(re.findall(r"'[^']+'", capsys.readouterr().err))


def test_pages_and_decisions_name_benchmarks_that_exist() -> None:
    pages = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("infra/decisions/*.md")]

    texts = (page.read_text(encoding="utf-8") for page in pages)
    named = {name for text in texts for name in re.findall(r"\bNAME=([a-z-]+)", text)}

    assert {"latency", "combine", "webhook-lag"} <= named <= MODULES.keys()


def test_a_report_ends_with_the_ratio_and_keeps_in_mind_what_is_over_its_limit(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = Report("table")

    report.check("size", Limit(0.2), 0.15)
    report.check("rate", Limit(50, at_least=True, unit="/s"), 50)
    assert report.is_kept
    report.result(Limit(1.2), 1.1, 1.3)

    assert capsys.readouterr().out.splitlines() == [
        "size: 0.15 (limit 0.2)",
        "rate: 50.00/s (limit 50/s, at least)",
        "table: 1.10, 1.30 (limit 1.2)",
    ]
    assert not report.is_kept


def test_ways_take_turns_and_their_ratio_is_that_within_a_round() -> None:
    spent = iter([9.0, 9.0, 2.0, 1.0, 6.0, 2.0, 40.0, 10.0])
    order: list[str] = []

    def way(name: str) -> float:
        order.append(name)
        return next(spent)

    times = run_in_turns({"ours": lambda: way("ours"), "bare": lambda: way("bare")}, Rounds(3))

    assert order == ["ours", "bare"] * 4
    assert times.seconds == {"ours": [2.0, 6.0, 40.0], "bare": [1.0, 2.0, 10.0]}
    assert times.ratio("ours", "bare") == 3.0
