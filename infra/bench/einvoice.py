"""An e-invoice of 10 lines, beside the factur-x library.

`make bench NAME=einvoice`: EN 16931 as CII, from the invoice as callers send it to bytes, with its
totals and the service's own rules; in turn with `generate_cii_xml` of the same content, which is
given all that we compute, and is asked to check neither schema nor rule sheets. Time of the
processor, on one core.
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
    """Print the table and the ratio; 1 when it is over the limit, or we are too slow."""
    # The library tells of what it leaves out.
    logging.disable()
    profile = PROFILES["EN16931"]
    asked = EInvoiceInput(
        profile=profile, syntax="cii", source=invoice_json(), findings_root="invoice"
    )
    prepared = prepare_invoice(asked)
    # As the library itself reads it from what we write.
    terms = parse_ubl_cii_xml(prepared.to_xml())

    def by_library() -> bytes:
        written: bytes = generate_cii_xml(
            terms, level="en16931", check_xsd=False, check_schematron=False
        )
        return written

    ways: Mapping[str, Callable[[], object]] = {
        "  reading, totals, rules": lambda: prepare_invoice(asked),
        "  writing": prepared.to_xml,
        _OUR_ROW: lambda: prepare_invoice(asked).to_xml(),
        _LIBRARY_ROW: by_library,
    }
    assert _canonical(prepared.to_xml()) == _canonical(by_library()), "they write something else"
    return _report(_measure(ways))


def _measure(ways: Mapping[str, Callable[[], object]]) -> Mapping[str, list[float]]:
    times: dict[str, list[float]] = {name: [] for name in ways}
    for round_number in range(-_WARM_UP, ROUNDS):
        for name, way in ways.items():
            gc.collect()
            begun = time.process_time()
            for _ in range(_CALLS_PER_ROUND):
                way()
            if round_number >= 0:
                times[name].append((time.process_time() - begun) / _CALLS_PER_ROUND)
    return times


def _canonical(xml: bytes) -> str:
    """Return a document without the white space around its elements."""
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
    # Of each round, whose ways found the machine alike.
    pairs = zip(times[name], times[_LIBRARY_ROW], strict=True)
    return statistics.median(ours / library for ours, library in pairs)


def _print_row(first: str, *rest: str) -> None:
    sys.stdout.write(first.ljust(28) + "".join(cell.rjust(10) for cell in rest) + "\n")
