"""Registry of the benchmarks."""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Final

from infra.bench.parts import Parts
from infra.bench.report import Report

# Modules by the names of benchmarks.
MODULES: Final[Mapping[str, str]] = {
    "start": "starts.start",
    "burst": "renders.burst",
    "latency": "renders.latency",
    "load": "renders.load",
    "cold": "starts.cold",
    "import": "starts.import_time",
    "fonts": "starts.fonts",
    "footprint": "renders.footprint",
    "calls": "renders.calls",
    "curve": "renders.curve",
    "table": "renders.table",
    "template-call": "engine.template_call",
    "einvoice": "engine.einvoice",
    "conformance": "renders.conformance",
    "merge": "engine.merge",
    "batch": "renders.batch",
    "combine": "engine.combine",
    "webhook-lag": "webhooks.lag",
    "webhooks": "webhooks.rate",
    "email": "emails.delivery",
    "upload": "storage.upload",
    "link": "renders.link",
    "docs": "docs",
    "neighbours": "neighbours.neighbours",
    "serve": "serve.durable",
    "console": "console",
}


def summary(name: str) -> str:
    """Return the first line of a benchmark's docstring."""
    path = Path(__file__).parent / f"{MODULES[name].replace('.', '/')}.py"
    with path.open(encoding="utf-8") as source:
        return source.readline().strip().removeprefix('"""Benchmark: ').removesuffix(".")


def run(name: str, parts: Parts, *, is_smoke: bool = False) -> Report:
    """Run a benchmark and return its report.

    A smoke run does little of everything, so that its figures say nothing.
    """
    module = import_module(f"infra.bench.{MODULES[name]}")
    report = Report(name)
    module.measure(parts, report, module.SMOKE if is_smoke else module.FULL)
    return report
