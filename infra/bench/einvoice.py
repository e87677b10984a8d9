"""Benchmark: an e-invoice of 10 lines, compared with the factur-x library (decision 24).

`make bench NAME=einvoice`: EN 16931 as CII, from the JSON of a caller to bytes, with totals and the
service's own rules; in turn with `generate_cii_xml` of the same content, which gets the computed
totals and checks neither schema nor rule sheets. Measured is processor time on one core.
"""

import gc
import logging
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import Final
from xml.etree import ElementTree as ET

from facturx import generate_cii_xml  # type: ignore[import-untyped]
from facturx.parse_xml import parse_ubl_cii_xml  # type: ignore[import-untyped]

from chalicelib.engine.einvoice.prepare import EInvoiceInput, prepare_invoice
from chalicelib.engine.einvoice.profiles import PROFILES
from infra.bench.documents import invoice_json

LIMIT: Final = 1.0
MIN_PER_SECOND: Final = 500
ROUNDS: Final = 40
_WARM_UP: Final = 3
_CALLS_PER_ROUND: Final = 25
_OUR_ROW: Final = "JSON to bytes"
_LIBRARY_ROW: Final = "factur-x"


def main() -> int:
    """Print the table and the ratio; return 1 when it is over the limit or the rate is too low."""
    # The library logs each term that it leaves out.
    logging.disable()
    profile = PROFILES["EN16931"]
    invoice_input = EInvoiceInput(
        profile=profile, syntax="cii", source=invoice_json(), findings_root="invoice"
    )
    prepared = prepare_invoice(invoice_input)
    # The library's input is what it reads from our XML.
    terms = parse_ubl_cii_xml(prepared.to_xml())

    def by_library() -> bytes:
        xml: bytes = generate_cii_xml(
            terms, level="en16931", check_xsd=False, check_schematron=False
        )
        return xml

    ways: Mapping[str, Callable[[], object]] = {
        "  reading, totals, rules": lambda: prepare_invoice(invoice_input),
        "  writing": prepared.to_xml,
        _OUR_ROW: lambda: prepare_invoice(invoice_input).to_xml(),
        _LIBRARY_ROW: by_library,
    }
    assert _canonical(prepared.to_xml()) == _canonical(by_library()), "they write something else"
    return _report(_measure(ways))


def _measure(ways: Mapping[str, Callable[[], object]]) -> Mapping[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for round_number in range(-_WARM_UP, ROUNDS):
        for name, way in ways.items():
            gc.collect()
            started = time.process_time()
            for _ in range(_CALLS_PER_ROUND):
                way()
            if round_number >= 0:
                times[name].append((time.process_time() - started) / _CALLS_PER_ROUND)
    return times


def _canonical(xml: bytes) -> str:
    """Return canonical XML without whitespace around elements."""
    return ET.canonicalize(xml.decode(), strip_text=True)


def _report(times: Mapping[str, list[float]]) -> int:
    _print_row("10 lines, EN 16931, CII", "ms p50", "a second", "ratio")
    for name, taken in times.items():
        seconds = statistics.median(taken)
        _print_row(
            name, f"{1000 * seconds:.3f}", f"{1 / seconds:.0f}", f"{_ratio(times, name):.2f}"
        )
    ratio, a_second = _ratio(times, _OUR_ROW), 1 / statistics.median(times[_OUR_ROW])
    _print_row(f"{a_second:.0f} a second (at least {MIN_PER_SECOND})")
    _print_row(f"einvoice: {ratio:.2f} (limit {LIMIT})")
    return int(ratio > LIMIT or a_second < MIN_PER_SECOND)


def _ratio(times: Mapping[str, list[float]], name: str) -> float:
    # The median of the ratios of each round, within which the load of the machine is similar.
    pairs = zip(times[name], times[_LIBRARY_ROW], strict=True)
    return statistics.median(ours / library for ours, library in pairs)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(28) + "".join(cell.rjust(10) for cell in rest) + "\n")
