"""Page of measured figures: what a program writes between its markers, and nothing beside."""

import datetime as dt
import re
from pathlib import Path

import pytest

from chalicelib.core.version import VERSION
from infra.bench import performance_page
from infra.bench.performance_page import Circumstances, block, names, number, write
from infra.bench.registry import MODULES
from infra.bench.report import Limit, Report

CALM = Circumstances(dt.date(2026, 11, 30), 0.42, 2)
FIGURE = re.compile(r"\d[\d .,]*(?:ms|s|MB|KB|GiB|%)(?![A-Za-z-])|\d+(?:\.\d+)? a second")


def page_of(tmp_path: Path, *blocks: str) -> Path:
    page = tmp_path / "page.md"
    texts = (f"<!-- measured: {name} -->\nold\n<!-- end of measured -->\n" for name in blocks)
    page.write_text("# Head\n\n" + "\nbetween\n".join(texts), encoding="utf-8")
    return page


def report_of_load() -> Report:
    report = Report("load")
    report.row("renders/s", "", "before")
    report.row("bare loops", 12.345, 1234.5)
    report.row("  of them new", 0.5, note="a note")
    report.row("KB", "printed", "file")
    report.row("tagged", "120", 3.0)
    report.check("p99 beside p50", Limit(1.5), 1.25)
    report.result(Limit(0.7, at_least=True, unit="/s"), 0.6, 0.8)
    return report


def test_a_block_has_the_tables_the_claims_and_when_it_was_measured() -> None:
    assert block("load", report_of_load(), CALM).splitlines() == [
        "| renders/s |  | before |  |",
        "| --- | ---: | ---: | ---: |",
        "| bare loops | 12.3 | 1 234 |  |",
        "| of them new | 0.50 |  | a note |",
        "",
        "| KB | printed | file |",
        "| --- | ---: | ---: |",
        "| tagged | 120 | 3.00 |",
        "",
        "| Claim | Measured | Limit | Kept |",
        "| --- | ---: | ---: | ---: |",
        "| p99 beside p50 | 1.25 | at most 1.5 | yes |",
        "| ratio | 0.60/s, 0.80/s | at least 0.7/s | **no** |",
        "",
        CALM.text(),
    ]


def test_a_block_says_when_it_was_measured_and_how_busy_the_machine_was() -> None:
    assert CALM.text() == (
        f"Measured on 2026-11-30 with Platen {VERSION}; the load before was 0.4 on 2 processors."
    )


def test_a_smoke_run_says_that_its_figures_say_nothing() -> None:
    text = block("load", report_of_load(), CALM._replace(is_smoke=True))

    assert text.endswith("its figures say nothing.**")


def test_only_the_named_block_is_written(tmp_path: Path) -> None:
    page = page_of(tmp_path, "latency", "load")

    write(page, "load", "| new |\n")

    assert page.read_text(encoding="utf-8") == (
        "# Head\n\n<!-- measured: latency -->\nold\n<!-- end of measured -->\n\nbetween\n"
        "<!-- measured: load -->\n| new |\n<!-- end of measured -->\n"
    )


def test_a_page_that_names_no_benchmark_is_refused() -> None:
    with pytest.raises(ValueError, match="no benchmark: fast"):
        names("<!-- measured: fast -->\n<!-- end of measured -->\n")


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (0.4167, "0.42"), (9.997, "10.0"), (99.96, "100"), (1234567, "1 234 567")],
)
def test_figures_have_three_digits_or_more(value: float, text: str) -> None:
    assert number(value) == text


def test_each_block_is_written_when_its_benchmark_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = page_of(tmp_path, "machine", "latency", "load")
    monkeypatch.setattr(performance_page, "PAGE", page)
    monkeypatch.setattr("sys.argv", ["performance_page"])

    def run(name: str, _parts: object, *, is_smoke: bool) -> Report:
        assert not is_smoke
        if name == "load":
            raise RuntimeError("the browser is gone")
        return report_of_load()

    monkeypatch.setattr(performance_page, "run", run)

    with pytest.raises(RuntimeError):
        performance_page.main()

    machine, latency, load = page.read_text(encoding="utf-8").split("between")
    assert "| Processor | " in machine
    assert "| bare loops | 12.3 |" in latency
    assert "old" in load


def test_a_limit_that_is_not_kept_is_the_exit_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(performance_page, "PAGE", page_of(tmp_path, "latency", "load"))
    monkeypatch.setattr(performance_page, "run", lambda *_, **__: report_of_load())

    for arguments, status in ((["latency"], 1), (["latency", "--smoke"], 0)):
        monkeypatch.setattr("sys.argv", ["performance_page", *arguments])
        assert performance_page.main() == status


def test_an_unknown_name_is_wrong_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["performance_page", "fast"])

    with pytest.raises(SystemExit) as end:
        performance_page.main()

    assert end.value.code == 2


def test_the_page_shows_benchmarks_and_has_no_figure_of_its_own() -> None:
    page = performance_page.PAGE.read_text(encoding="utf-8")
    shown = names(page)
    prose = re.sub(
        r"<!-- measured: .*?<!-- end of measured -->|```.*?```", "", page, flags=re.DOTALL
    )

    assert {"latency", "load", "conformance", "curve"} <= set(shown) <= MODULES.keys()
    assert len(shown) == len(set(shown))
    assert FIGURE.findall(prose) == []
    assert FIGURE.findall("takes 35 ms, 12.5 a second, 1.5 GiB") == [
        "35 ms",
        "12.5 a second",
        "1.5 GiB",
    ]
